import { Stage } from '@tidemark/proto';

/** Takes the keys of topics apart, for tombstones: they have no message to say what they remove. */

/** Of `problems.status` and `problems.withdrawn`: `<problem id>:<STAGE>`. */
export function problemAndStageOf(key: string): { problemId: string; stage: number } {
  const [problemId, name] = halves(key);
  return { problemId, stage: Stage[name as keyof typeof Stage] ?? Number(name) };
}

/** Of topics by target and problem: `<target>:<problem id>`. */
export function targetAndProblemOf(key: string): { target: string; problemId: string } {
  const [target, problemId] = halves(key);
  return { target, problemId };
}

function halves(key: string): [string, string] {
  const at = key.lastIndexOf(':');
  return at < 0 ? [key, ''] : [key.slice(0, at), key.slice(at + 1)];
}
