import { create } from '@bufbuild/protobuf';
import { BlobError, type BlobStore, readPayload } from '@tidemark/blob-store';
import { describeFault, parseRollouts, type RolloutRecord } from '@tidemark/formats';
import { hashOfFields, sha256Hex } from '@tidemark/identity';
import { type RolloutsIntake, type Submitter, SubmitterSchema } from '@tidemark/proto';
import { type Cause, RecordFault } from '@tidemark/stage-runtime';
import { knownSubmitter } from '../submitter-name.ts';

/** Longest message of a dead letter, in characters. */
const MESSAGE_CHARACTERS = 4000;

/** A group with who sent it. */
export interface ReadGroup {
  readonly record: RolloutRecord;
  readonly submitter: Submitter;
  readonly trustedToGrade: boolean;
}

/**
 * Reads a group of attempts from its intake event.
 *
 * @param senderId the sender's id of the event, where it gave one
 * @throws RecordFault when it can't be read; the message names every fault
 */
export async function readGroup(
  intake: RolloutsIntake,
  cause: Cause,
  senderId: string | undefined,
  blobs: BlobStore,
  secret: string,
): Promise<ReadGroup> {
  const bytes = await recordBytes(intake, cause, blobs);
  const known = knownSubmitter(intake.submitter, bytes, secret);
  const submitter = create(SubmitterSchema, {
    name: known.name,
    trustedToGrade: known.trustedToGrade,
    sourceFile: intake.submitter?.sourceFile ?? '',
    sourceRecord: intake.submitter?.sourceRecord ?? 0n,
  });
  const parsed = parseRollouts(bytes, {
    fileSha256: placeHash(intake, bytes, cause, senderId),
    record: Number(submitter.sourceRecord),
  });
  if (parsed.kind === 'group') return { record: parsed.record, submitter, trustedToGrade: known.trustedToGrade };
  const place = { file: submitter.sourceFile, line: Number(submitter.sourceRecord) };
  const message = parsed.faults.map((fault) => describeFault(place, fault)).join(' ');
  throw new RecordFault('invalid_record', message.slice(0, MESSAGE_CHARACTERS), cause);
}

/**
 * Where a group without an id of its own came from. A file's hash needs the record's number beside it. Without both,
 * the sender's id tells a repetition, if what it repeats is the same; else each record of the log is a group.
 */
function placeHash(intake: RolloutsIntake, bytes: Uint8Array, cause: Cause, senderId: string | undefined): string {
  if (intake.fileSha256 !== '' && (intake.submitter?.sourceRecord ?? 0n) > 0n) return intake.fileSha256;
  return senderId === undefined ? sha256Hex(cause.id) : hashOfFields('sender', senderId, bytes);
}

async function recordBytes(intake: RolloutsIntake, cause: Cause, blobs: BlobStore): Promise<Uint8Array> {
  if (intake.record === undefined) throw new RecordFault('invalid_record', 'the event holds no record', cause);
  try {
    return await readPayload(blobs, intake.record);
  } catch (error) {
    // An outside writer may name what it never stored: its fault, and no reason to wait.
    if (error instanceof BlobError) throw new RecordFault(error.code, error.message, cause, { cause: error });
    throw error;
  }
}
