import { create } from '@bufbuild/protobuf';
import { BlobError, type BlobStore, readPayload } from '@tidemark/blob-store';
import {
  type Fault,
  type ParsedProblem,
  type ProblemDefaults,
  parseProblem,
  parseWithdrawal,
  type Warning,
} from '@tidemark/formats';
import { type ProblemId, sha256Hex } from '@tidemark/identity';
import {
  type Origin,
  OriginKind,
  OriginSchema,
  type ProblemContent,
  type ProblemIntake,
  type Submitter,
  SubmitterSchema,
} from '@tidemark/proto';
import { RecordFault, type StageEvent } from '@tidemark/stage-runtime';
import { knownSubmitter } from '../submitter-name.ts';
import type { Offer } from './decide-offer.ts';
import { contentHashOf, toContent, toOrigin } from './to-content.ts';

/** An offer with all that its events will need. */
export interface ReadOffer {
  readonly event: StageEvent<ProblemIntake>;
  readonly problemId: ProblemId;
  readonly offer: Offer;
  readonly origin: Origin;
  readonly submitter: Submitter;
  /** Of a record that could be read. */
  readonly read:
    | { readonly content: ProblemContent; readonly format: string; readonly warnings: readonly Warning[] }
    | undefined;
  readonly faults: readonly Fault[];
  /** Of a withdrawal: the producer's words; otherwise empty. */
  readonly reason: string;
}

/**
 * Reads what an intake event offers; stores what is big.
 *
 * @throws RecordFault when the event names no record, or bytes that nobody stored
 */
export async function readOffer(
  event: StageEvent<ProblemIntake>,
  blobs: BlobStore,
  secret: string,
): Promise<ReadOffer> {
  const intake = event.value;
  const bytes = await recordBytes(event, blobs);
  const { name } = knownSubmitter(intake.submitter, bytes, secret);
  const submitter = create(SubmitterSchema, {
    name,
    sourceFile: intake.submitter?.sourceFile ?? '',
    sourceRecord: intake.submitter?.sourceRecord ?? 0n,
  });
  const shared = { event, submitter };
  if (intake.withdraw) return { ...shared, ...withdrawalOffer(event, bytes, name) };
  const parsed = parseProblem(bytes, intake.format, defaultsOf(intake));
  if (parsed.kind === 'faulty') return { ...shared, ...faultyOffer(parsed, bytes, name) };
  const content = await toContent(parsed.record, blobs);
  const origin = toOrigin(parsed.record);
  return {
    ...shared,
    problemId: parsed.problemId,
    origin,
    offer: { kind: 'record', contentSha256: contentHashOf(content, origin), submitter: name },
    read: { content, format: parsed.record.format, warnings: parsed.warnings },
    faults: [],
    reason: '',
  };
}

/** The record itself says what is withdrawn: the MAC covers its bytes, and nothing else of the event. */
function withdrawalOffer(event: StageEvent<ProblemIntake>, bytes: Uint8Array, submitter: string) {
  const parsed = parseWithdrawal(bytes);
  if (parsed.kind === 'faulty') {
    const message = parsed.faults.map((fault) => `${fault.field} ${fault.reason}`).join(', ');
    throw new RecordFault('invalid_record', `not a withdrawal: ${message}`, event);
  }
  const { problemId, namespace, recordId, reason } = parsed;
  const offer: Offer = { kind: 'withdrawal', submitter };
  return {
    problemId,
    origin: create(OriginSchema, { namespace, recordId }),
    offer,
    read: undefined,
    faults: [],
    reason,
  };
}

function faultyOffer(parsed: ParsedProblem & { kind: 'faulty' }, bytes: Uint8Array, submitter: string) {
  const { problemId, namespace, recordId, faults } = parsed;
  const offer: Offer = { kind: 'faulty', contentSha256: sha256Hex(bytes), submitter };
  const origin = create(OriginSchema, { namespace: clip(namespace), recordId: clip(recordId) });
  return { problemId, offer, origin, read: undefined, faults, reason: '' };
}

/** Of a record that breaks every bound its name may break one too. */
const clip = (text: string): string => text.toWellFormed().replaceAll('\0', '').slice(0, 500);

function defaultsOf(intake: ProblemIntake): ProblemDefaults {
  const kinds: Partial<Record<OriginKind, ProblemDefaults['originKind']>> = {
    [OriginKind.REAL]: 'real',
    [OriginKind.SYNTHETIC]: 'synthetic',
    [OriginKind.UNKNOWN]: 'unknown',
  };
  const originKind = kinds[intake.originKind];
  return {
    ...(intake.namespace === '' ? {} : { namespace: intake.namespace }),
    ...(intake.licence === '' ? {} : { licence: intake.licence }),
    ...(originKind === undefined ? {} : { originKind }),
  };
}

async function recordBytes(event: StageEvent<ProblemIntake>, blobs: BlobStore): Promise<Uint8Array> {
  const { record } = event.value;
  if (record === undefined) {
    throw new RecordFault('invalid_record', 'the event holds no record', event);
  }
  try {
    return await readPayload(blobs, record);
  } catch (error) {
    // An outside writer may name what it never stored: its fault, and no reason to wait.
    if (error instanceof BlobError) throw new RecordFault(error.code, error.message, event, { cause: error });
    throw error;
  }
}
