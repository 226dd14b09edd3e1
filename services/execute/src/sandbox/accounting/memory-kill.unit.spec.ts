import { describe, expect, it } from 'vitest';
import { memoryKillOfV1, memoryKillOfV2 } from './memory-kill.ts';

describe('whose memory a kill was for', () => {
  it.each([
    // Recorded on Linux 6.18: a hog of 400 MiB in a group of 64 MiB, and in one of 256 MiB below one of 95 MiB.
    ['own_limit', 'oom_kill_disable 0\nunder_oom 0\noom_kill 1\n', '67108864\n', '67108864\n'],
    ['outside', 'oom_kill_disable 0\nunder_oom 0\noom_kill 1\n', '100233216\n', '268435456\n'],
    ['none', 'oom_kill_disable 0\nunder_oom 0\noom_kill 0\n', '67108864\n', '67108864\n'],
    // A huge page that did not fit any more.
    ['own_limit', 'oom_kill_disable 0\nunder_oom 0\noom_kill 2\n', '66125824\n', '67108864\n'],
    ['none', '', '', ''],
  ] as const)('v1: %s', (kill, control, usage, limit) => {
    expect(memoryKillOfV1(control, usage, limit)).toBe(kill);
  });

  it('counts from where a run began', () => {
    const [once, twice] = ['oom_kill 1\n', 'oom_kill 2\n'];
    expect(memoryKillOfV1(once, '9', '9', once)).toBe('none');
    expect(memoryKillOfV1(twice, '9', '9', once)).toBe('own_limit');
    const before = 'oom 3\noom_kill 3\n';
    expect(memoryKillOfV2(before, before)).toBe('none');
    expect(memoryKillOfV2('oom 3\noom_kill 4\n', before)).toBe('outside');
    expect(memoryKillOfV2('oom 4\noom_kill 4\n', before)).toBe('own_limit');
  });

  it.each([
    ['own_limit', 'low 0\nhigh 0\nmax 93\noom 1\noom_kill 1\noom_group_kill 0\n'],
    ['outside', 'low 0\nhigh 0\nmax 0\noom 0\noom_kill 1\noom_group_kill 0\n'],
    // The limit was met, and reclaim helped: what killed came from outside.
    ['outside', 'low 0\nhigh 0\nmax 12\noom 0\noom_kill 1\n'],
    ['none', 'low 0\nhigh 0\nmax 12\noom 0\noom_kill 0\n'],
    ['none', ''],
  ] as const)('v2: %s', (kill, events) => {
    expect(memoryKillOfV2(events)).toBe(kill);
  });
});
