import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startStandalone } from './start-standalone.ts';

const PATIENCE = { timeout: 90_000, interval: 250 };
const folder = mkdtempSync(join(tmpdir(), 'tidemark-withdrawal-'));
let standalone: Awaited<ReturnType<typeof startStandalone>>;

beforeAll(async () => {
  // Run by root, PostgreSQL is another user, who has to get in.
  chmodSync(folder, 0o755);
  standalone = await startStandalone({
    dataFolder: folder,
    defaultFolders: [],
    host: '127.0.0.1',
    port: 0,
    logLevel: 'warn',
    env: { TIDEMARK_DEDUP_HELD_OUT_SHARE: '0' },
    tracingEnv: {},
  });
});
afterAll(async () => {
  await standalone?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(method: string, path: string, body?: string): Promise<Record<string, unknown>> {
  const answer = await fetch(`${standalone.url}${path}`, { method, ...(body !== undefined && { body }) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return JSON.parse(text.split('\n')[0] ?? '{}') as Record<string, unknown>;
}

/** What lies on the curated topic of the problem: a record, or a tombstone. */
async function onTopic(problemId: string): Promise<string[]> {
  const dump = await (await fetch(`${standalone.url}/v1/topics/curated.line.v1`)).text();
  return dump
    .split('\n')
    .filter((line) => line.includes(problemId))
    .map((line) => ((JSON.parse(line) as { value: object | null }).value === null ? 'leaves' : 'enters'));
}

it('a problem that an operator withdraws leaves the curated topic, and comes back when it is let in again', async () => {
  await ask('PUT', '/v1/targets/line', '{}');
  const sample = readFileSync(resolve(import.meta.dirname, '../../../samples/tidemark.jsonl'), 'utf8').split('\n');
  const record = JSON.parse(sample[0] ?? '') as { statement: string };
  const { problem_id } = await ask('POST', '/v1/problems', JSON.stringify(record));
  const id = String(problem_id);
  const state = async () => (await ask('GET', `/v1/problems/${id}`)).state;
  const batch = async () => (await ask('POST', '/v1/targets/line/batches', '{"count":1}')).problems as object[];
  await expect.poll(() => onTopic(id), PATIENCE).toEqual(['enters']);

  await ask('POST', `/v1/problems/${id}/withdraw`, '{"reason":"its source asks for it"}');
  expect(await state()).toBe('withdrawn');
  await expect.poll(async () => (await onTopic(id)).at(-1), PATIENCE).toBe('leaves');
  expect(await batch()).toEqual([]);
  const { withdrawals } = await ask('GET', `/v1/problems/${id}`);
  expect(withdrawals).toMatchObject([
    { stage: 'gateway', reason: 'withdrawn_by_operator', evidence: [{ text: 'its source asks for it' }] },
  ]);

  await ask('POST', `/v1/problems/${id}/restore`, '{}');
  expect(await state()).toBe('ready');
  await expect.poll(async () => (await onTopic(id)).at(-1), PATIENCE).toBe('enters');
  await expect.poll(batch, PATIENCE).toMatchObject([{ problem_id: id }]);

  // What comes of it while all versions are out waits at the door, and goes on when it is let in.
  await ask('POST', `/v1/problems/${id}/withdraw`, '{"reason":"not to be trained on","all_versions":true}');
  await ask('POST', '/v1/problems', JSON.stringify({ ...record, statement: `${record.statement} Be quick.` }));
  await expect.poll(async () => (await onTopic(id)).at(-1), PATIENCE).toBe('leaves');
  await expect.poll(async () => (await ask('GET', '/v1/status')).quiet, PATIENCE).toBe(true);
  expect(await state()).toBe('withdrawn');
  expect((await onTopic(id)).at(-1)).toBe('leaves');
  await ask('POST', `/v1/problems/${id}/restore`, '{}');
  await expect.poll(async () => (await onTopic(id)).at(-1), PATIENCE).toBe('enters');
  await expect.poll(async () => (await ask('GET', `/v1/problems/${id}`)).version, PATIENCE).toBe(2);
}, 300_000);
