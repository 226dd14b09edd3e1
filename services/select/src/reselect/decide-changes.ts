import { create, toBinary } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { betaMean, highestDensityInterval } from '@tidemark/difficulty';
import { type Bin, type CuratedProblem, CuratedProblemSchema, IntervalSchema } from '@tidemark/proto';
import type { Member } from '@tidemark/selection';
import { binOfName, type StoredProblem } from './appraise.ts';

/** What is known of a member of the working set as last published. */
export interface PublishedMember {
  readonly problemId: string;
  readonly fingerprint: string;
  /** Bin as last published. */
  readonly bin: Bin;
}

/** A member as it should be published. */
export interface WantedMember {
  readonly record: CuratedProblem;
  /** Equal exactly when a trainer would see no difference: times and the wording of the change left out. */
  readonly fingerprint: string;
}

export interface WorkingSetChanges {
  /** Entered, moved or updated. */
  readonly publish: readonly WantedMember[];
  /** Problem ids that leave. */
  readonly leave: readonly string[];
}

const INTERVAL_MASS = 0.95;

/** The record of one member: the problem's own content with the numbers of this target. */
export function curatedRecord(
  member: Member,
  problem: StoredProblem,
  target: { readonly slug: string; readonly version: number },
): CuratedProblem {
  const { alpha, beta, bin, measured } = member.candidate;
  const { estimate } = problem;
  const interval = highestDensityInterval({ alpha, beta }, INTERVAL_MASS);
  return create(CuratedProblemSchema, {
    ...problem.content,
    target: target.slug,
    targetVersion: target.version,
    bin: binOfName[bin],
    // Measured, but no bin has the mass yet: it stands where the prior put it.
    predicted: !measured || estimate?.predicted === true,
    value: member.value,
    mixedProbability: member.mixedProbability,
    mean: betaMean({ alpha, beta }),
    interval:
      (measured && estimate?.interval) ||
      create(IntervalSchema, { ...interval, level: INTERVAL_MASS, method: 'highest-density' }),
    attempts: (measured && estimate?.attempts) || 0,
    passes: (measured && estimate?.passes) || 0,
    evaluation: (measured && estimate?.evaluation) || 0n,
    retest: member.retest,
  });
}

/** What has to be published so that the curated topic shows the wanted set. */
export function decideChanges(
  published: ReadonlyMap<string, PublishedMember>,
  wanted: readonly CuratedProblem[],
  fingerprintOf: (bytes: Uint8Array) => string,
  nowMs: number,
): WorkingSetChanges {
  const publish: WantedMember[] = [];
  const stays = new Set<string>();
  for (const record of wanted) {
    stays.add(record.problemId);
    const fingerprint = fingerprintOf(toBinary(CuratedProblemSchema, { ...record, evaluation: 0n }));
    const before = published.get(record.problemId);
    if (before?.fingerprint === fingerprint) continue;
    const change = before === undefined ? 'entered' : before.bin === record.bin ? 'updated' : 'moved';
    publish.push({ record: { ...record, change, publishedAt: timestampFromMs(nowMs) }, fingerprint });
  }
  const leave = [...published.keys()].filter((problemId) => !stays.has(problemId));
  return { publish, leave };
}
