import type { KeptAnswer } from '../postgres/answers.ts';

/**
 * Of what came, the answers that make one group: all to one prompt, of one version of problem and target. The newest
 * version is taken, and of its prompts the one with most answers.
 *
 * @returns them in the order of their slots; empty when nothing came
 */
export function chooseAnswers(answers: readonly KeptAnswer[]): readonly KeptAnswer[] {
  const groups = Map.groupBy(answers, (one) => `${one.problemVersion} ${one.targetVersion} ${one.promptHash}`);
  const [best] = [...groups.values()].sort(
    ([a, ...as], [b, ...bs]) =>
      (b?.problemVersion ?? 0) - (a?.problemVersion ?? 0) ||
      (b?.targetVersion ?? 0) - (a?.targetVersion ?? 0) ||
      bs.length - as.length,
  );
  return best ?? [];
}
