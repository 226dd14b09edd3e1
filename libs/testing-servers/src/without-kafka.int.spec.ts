import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');

/** A run of vitest, in a process of its own, on a machine that has neither Java nor a Docker engine. */
function runWithoutKafka(ci: string): { code: number | null; output: string } {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const config = join(import.meta.dirname, 'testing/fixture.config.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [vitest, 'run', '--config', config, '--root', root], {
    encoding: 'utf8',
    cwd: root,
    env: { PATH: '/nowhere', DOCKER_HOST: 'unix:///nowhere/docker.sock', CI: ci, NO_COLOR: '1' },
  });
  return { code: status, output: `${stdout}${stderr}` };
}

describe('where no broker can be started', () => {
  it('a suite that needs one fails under CI', () => {
    const { code, output } = runWithoutKafka('true');
    expect(output).toContain('java does not run here');
    expect(output).not.toMatch(/1 skipped/);
    expect(code).toBe(1);
  });

  it('elsewhere it is skipped, and the run says loudly that Kafka was not tested', () => {
    const { code, output } = runWithoutKafka('');
    expect(output).toMatch(/1 skipped/);
    expect(output).toMatch(/!! KAFKA WAS NOT TESTED.*\n!! .*java does not run here/);
    expect(code).toBe(0);
  });
});
