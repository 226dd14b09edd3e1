import { describe, expect, it } from 'vitest';
import { parseMemberships, parseMounts } from './hierarchies.ts';

describe('finding control groups', () => {
  it('reads the cgroup mounts out of mountinfo, optional fields or not', () => {
    const mounts = parseMounts(
      [
        '25 30 0:23 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory',
        '26 30 0:24 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup rw,nsdelegate',
        '27 30 0:25 / / rw - ext4 /dev/vda rw',
      ].join('\n'),
    );
    expect(mounts).toEqual([
      { root: '/', point: '/sys/fs/cgroup/memory', type: 'cgroup', options: ['rw', 'memory'] },
      { root: '/docker/abc', point: '/sys/fs/cgroup', type: 'cgroup2', options: ['rw', 'nsdelegate'] },
    ]);
  });

  it('knows the group of each controller, and that of v2 under the empty name', () => {
    const memberships = parseMemberships('4:cpu,cpuacct:/a\n3:memory:/b:c\n0::/d\n');
    expect(Object.fromEntries(memberships)).toEqual({ cpu: '/a', cpuacct: '/a', memory: '/b:c', '': '/d' });
  });
});
