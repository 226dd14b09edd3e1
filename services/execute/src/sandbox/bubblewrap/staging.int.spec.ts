import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { Staging } from './staging.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidemark-staging-'));
let staging: Staging | undefined;
afterEach(async () => {
  await staging?.close();
  rmSync(folder, { recursive: true });
});

it('keeps the namespace through a Ctrl-C at the terminal, which signals all of its foreground group', async ({
  skip,
}) => {
  if (process.getuid?.() !== 0) skip('only root can make the namespace');
  staging = await Staging.of([folder]);
  const pid = /^\/proc\/(\d+)\//.exec(staging.namespace)?.[1] ?? '';
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // Fields after the name in brackets: state, parent, group, session.
  const [, , group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  expect([group, session]).toEqual([pid, pid]);
});
