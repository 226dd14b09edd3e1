import { toJson } from '@bufbuild/protobuf';
import { trainer } from '@tidemark/proto';
import { unusable } from '../http/http-problem.ts';

/** Attempts of one call at most. */
const MAX_ATTEMPTS = 10_000;

/** A JSON number of any size. */
const rawNumber = (digits: string): unknown => (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(digits);

/**
 * Groups as the records that HTTP takes: their fields bear the same names, so that one parser reads both.
 *
 * @throws HttpProblem 422 for more attempts than one call may have
 */
export function groupRecords(groups: readonly trainer.AttemptGroup[]): Uint8Array[] {
  const attempts = groups.reduce((sum, group) => sum + group.attempts.length, 0);
  if (attempts > MAX_ATTEMPTS) {
    const why = `have ${attempts} attempts; a call takes ${MAX_ATTEMPTS}`;
    throw unusable('That many attempts are not taken at once.', [{ where: 'groups', why }], 'Send several calls.');
  }
  return groups.map((group) => {
    const record = toJson(trainer.AttemptGroupSchema, group, { useProtoFieldName: true }) as Record<string, unknown>;
    const seeds = group.attempts.map(({ seed }) => seed);
    const withSeeds = ((record.attempts ?? []) as object[]).map((attempt, index) => {
      const seed = seeds[index];
      return seed === undefined ? attempt : { ...attempt, seed: rawNumber(String(seed)) };
    });
    return new TextEncoder().encode(JSON.stringify({ ...record, attempts: withSeeds }));
  });
}
