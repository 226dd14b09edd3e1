import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, StageReadiness } from '@tidemark/stage-runtime';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { executeConfig } from '../execute.config.ts';
import { JudgeHost } from './judge-host.ts';

class Board extends StageReadiness {
  readonly reasons = new Map<string, string>();
  override set(concern: string, reason: string) {
    this.reasons.set(concern, reason);
  }
  override clear(concern: string) {
    this.reasons.delete(concern);
  }
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-host-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

it('finds a language that is installed while it runs, and judges it', async () => {
  const python = join(folder, 'python3');
  const board = new Board();
  const host = new JudgeHost(
    executeConfig.parse({ python, cc: '/no/cc', cxx: '/no/cxx' }),
    createLogger('execute', 'silent'),
    board,
  );
  try {
    await host.onApplicationBootstrap();
    expect(host.languages()).toEqual([]);
    expect([...board.reasons.keys()]).toEqual(['languages']);

    symlinkSync(execFileSync('which', ['python3'], { encoding: 'utf8' }).trim(), python);
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
    await expect.poll(() => host.languages(), { timeout: 20_000 }).toEqual(['python']);
    expect(board.reasons.size).toBe(0);
    expect(await host.use('urgent', (judge) => judge.passesKnownGood('python'))).toBe(true);
  } finally {
    await host.onApplicationShutdown();
  }
}, 60_000);
