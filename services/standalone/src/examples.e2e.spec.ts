import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Standalone, startStandalone } from './start-standalone.ts';

const examples = resolve(import.meta.dirname, '../../../examples/python');
const FIRST = 'first-token-of-the-examples';
const MINUTES = 60_000;
const run = promisify(execFile);

let folder: string;
let standalone: Standalone;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-examples-'));
  // Run by root, PostgreSQL is another user, who has to get in.
  chmodSync(folder, 0o755);
  standalone = await startStandalone({
    dataFolder: folder,
    defaultFolders: [],
    host: '127.0.0.1',
    port: 0,
    accessToken: FIRST,
    logLevel: 'error',
    env: { TIDEMARK_DEDUP_HELD_OUT_SHARE: '0' },
    tracingEnv: {},
  });
}, 5 * MINUTES);
afterAll(async () => {
  await standalone?.stop();
  rmSync(folder, { recursive: true, force: true });
}, MINUTES);

/** A token for one part, and the example run with it. */
async function runExample(script: string, args: readonly string[], token: object): Promise<string> {
  const made = await fetch(`${standalone.url}/v1/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${FIRST}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: script, ...token }),
  });
  const { token: secret } = (await made.json()) as { token: string };
  const env = { PATH: process.env.PATH ?? '', TIDEMARK_URL: standalone.url, TIDEMARK_ACCESS_TOKEN: secret };
  const { stdout } = await run('python3', [join(examples, script), ...args], { env, cwd: examples });
  return stdout;
}

describe('the examples in Python', () => {
  it(
    'offer problems and train on them, each with a token for its own part alone',
    async () => {
      const offered = await runExample('producer.py', ['problems.jsonl'], { roles: ['producer'] });
      expect(offered).toContain('4 of 4 taken');
      for (const id of ['sum-two', 'sum-lines', 'largest']) expect(offered).toContain(`${id}: ready`);
      expect(offered).toContain('wrong: rejected reference_failed');
      const trained = await runExample('trainer.py', ['my-model', '2', '8'], {
        roles: ['trainer'],
        targets: ['my-model'],
      });
      expect(trained).toMatch(/step \d: my-model-\S+ rewards \[/);
      expect(trained).toContain('1.0');
      expect(trained).toContain('0.0');
      expect(trained).toMatch(/value \d\.\d\d of \d+ attempts: Sum of two/);
    },
    10 * MINUTES,
  );
});
