import type { RunFacts } from '@tidemark/judging';

/** A huge page: the largest charge that may have failed below the limit. */
const LARGEST_CHARGE_BYTES = 2 * 1024 * 1024;

/**
 * cgroup v2: `oom_kill` of `memory.events` counts members that any out-of-memory killer took, that of a group above or
 * of the whole machine too; `oom` counts how often this group's own limit left no way out
 * (Documentation/admin-guide/cgroup-v2.rst, "memory.events").
 *
 * @param events text of `memory.events.local`, or of `memory.events` of a group without children
 * @param before the same when the run began; empty where the group is the run's own
 */
export function memoryKillOfV2(events: string, before = ''): RunFacts['memoryKill'] {
  if (counterIn(events, 'oom_kill') <= counterIn(before, 'oom_kill')) return 'none';
  return counterIn(events, 'oom') > counterIn(before, 'oom') ? 'own_limit' : 'outside';
}

/**
 * cgroup v1 counts kills alone. One by the group's own limit happens when its use has come as far as that.
 *
 * @param oomControl text of `memory.oom_control`
 * @param maxUsage text of `memory.max_usage_in_bytes`
 * @param limit text of `memory.limit_in_bytes`
 * @param before text of `memory.oom_control` when the run began; empty where the group is the run's own
 */
export function memoryKillOfV1(
  oomControl: string,
  maxUsage: string,
  limit: string,
  before = '',
): RunFacts['memoryKill'] {
  if (counterIn(oomControl, 'oom_kill') <= counterIn(before, 'oom_kill')) return 'none';
  return Number(maxUsage) + LARGEST_CHARGE_BYTES >= Number(limit) ? 'own_limit' : 'outside';
}

/** A `name value` line of a flat-keyed kernel file; 0 when there is none. */
export function counterIn(text: string, name: string): number {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}
