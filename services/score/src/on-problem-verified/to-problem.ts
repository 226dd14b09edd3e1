import { type BlobStore, readPayloadText } from '@tidemark/blob-store';
import { type ProblemContent, type ProblemVerified, TestForm } from '@tidemark/proto';
import type { ScorableProblem } from '@tidemark/scoring';

const FORMS: Readonly<Partial<Record<TestForm, ScorableProblem['testForm']>>> = {
  [TestForm.STDIN]: 'stdin',
  [TestForm.FUNCTION_CALL]: 'call',
  [TestForm.ASSERT_SCRIPT]: 'assert',
};

/**
 * What the predictor looks at. The limits are those that the source set, not those in force: a judge with another
 * default must not change a score.
 *
 * @throws BlobMissingError, BlobDamagedError
 */
export async function toProblem(
  blobs: BlobStore,
  event: ProblemVerified,
  maxReferenceBytes: number,
): Promise<ScorableProblem> {
  const content = event.content;
  const sources = referencesOf(content, maxReferenceBytes);
  return {
    statement: content?.statement ? await readPayloadText(blobs, content.statement) : '',
    starterCode: content?.starterCode ?? '',
    testForm: FORMS[content?.testForm ?? TestForm.UNSPECIFIED] ?? 'unknown',
    references: await Promise.all(sources.map((source) => readPayloadText(blobs, source))),
    testCount: event.testCount,
    cpuTimeMs: content?.limits?.cpuTimeMs ?? 0,
    memoryBytes: Number(content?.limits?.memoryBytes ?? 0n),
    testBytes: Number(event.suite?.sizeBytes ?? 0n),
    publishedYear: yearOf(event.origin?.publishedAt?.seconds),
  };
}

function referencesOf(content: ProblemContent | undefined, maxReferenceBytes: number) {
  return (content?.solutions ?? [])
    .filter(({ claimedRight }) => claimedRight)
    .flatMap(({ source }) => (source && source.sizeBytes <= BigInt(maxReferenceBytes) ? [source] : []));
}

const SECONDS_A_YEAR = 31_556_952;

const yearOf = (seconds: bigint | undefined): number | undefined =>
  seconds === undefined ? undefined : 1970 + Number(seconds) / SECONDS_A_YEAR;
