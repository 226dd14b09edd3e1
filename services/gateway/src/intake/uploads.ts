import { setImmediate as othersTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { BlobStore, storePayload } from '@tidemark/blob-store';
import { submitterMac } from '@tidemark/identity';
import { type Payload, type Submitter, SubmitterSchema } from '@tidemark/proto';
import { create } from '@bufbuild/protobuf';
import {
  causeOf,
  derivedEventId,
  InjectConfig,
  StageDatabase,
  type StageTransaction,
  type Cause,
} from '@tidemark/stage-runtime';
import { Callers } from '../http/caller.ts';
import { conflict } from '../http/http-problem.ts';
import type { GatewayConfig } from '../gateway.config.ts';
import { type CheckedRecord, checkRecord, faultJson, type ReadRecord, type Subject } from './check-record.ts';
import type { SpooledBody } from './spool-body.ts';
import { type Line, splitLines } from './split-lines.ts';
import { type GroupSubject, type Missing, missingOf } from './missing-subjects.ts';
import { Submissions } from './submissions.ts';
import { identifyUpload, type UploadIdentity } from './upload-identity.ts';
import type { UploadSettings } from './upload-settings.ts';

/** A transaction takes this many records, or this many bytes, whichever comes first. */
const CHUNK_RECORDS = 500;
const CHUNK_BYTES = 8 * 1024 * 1024;

/** Bytes that are parsed in one go; others get their turn in between. */
const PARSE_BYTES = 512 * 1024;

/** What differs between problems and rollouts. */
export interface UploadKind {
  readonly name: 'problems' | 'rollouts';
  /** Reads a record with the parser of its format. */
  read(record: UnreadRecord): ReadRecord;
  /** What the answer of a taken record holds beside its event id. */
  answer(subject: Subject): object;
  /** Publishes the record on its intake topic, keyed by its problem: what is said of one stays in its order. */
  publish(tx: StageTransaction, cause: Cause, record: OfferedRecord): void;
}

/** A record as it came. */
export interface UnreadRecord {
  readonly line: number;
  readonly bytes: Uint8Array;
  readonly settings: UploadSettings;
  readonly fileSha256: string;
  readonly trustedToGrade: boolean;
}

/** A record that is taken: stored, and vouched for. */
export interface OfferedRecord {
  readonly line: number;
  readonly subject: Subject;
  readonly payload: Payload;
  readonly submitter: Submitter;
  readonly settings: UploadSettings;
  readonly fileSha256: string;
}

type Taken = CheckedRecord & { readonly kind: 'taken' };

/** Takes uploads: an answer means that the record's event is committed to the outbox. */
@Injectable()
export class Uploads {
  constructor(
    private readonly database: StageDatabase,
    private readonly blobs: BlobStore,
    private readonly callers: Callers,
    private readonly submissions: Submissions,
    @InjectConfig() private readonly config: GatewayConfig,
  ) {}

  /**
   * Answers one object a record, in the order of the lines, and a summary as the last one. Without the summary the
   * upload did not come to its end; sending it again is harmless.
   *
   * @throws HttpProblem 409 when the idempotency key was used for another content
   */
  async *take(kind: UploadKind, body: SpooledBody, settings: UploadSettings): AsyncGenerator<object> {
    const identity = identifyUpload({
      kind: kind.name,
      submitter: this.callers.name,
      ...settings,
      sha256: body.sha256,
    });
    const times = await this.begin(kind, identity, body, settings);
    let accepted = 0;
    let refused = 0;
    for await (const lines of inChunks(this.linesOf(body, settings), CHUNK_RECORDS, CHUNK_BYTES)) {
      const checked = await this.check(kind, lines, identity, settings);
      const events = await this.commit(kind, checked, identity, settings);
      for (const record of checked) {
        if (record.kind === 'refused') {
          refused += 1;
          const [first, ...more] = record.faults.map(faultJson);
          yield { outcome: 'refused', line: record.line, ...first, ...(more.length > 0 && { more }) };
        } else {
          accepted += 1;
          const { line, warnings } = record;
          yield { outcome: 'accepted', line, ...events.get(line), ...(warnings.length > 0 && { warnings }) };
        }
      }
    }
    await this.end(identity, accepted);
    yield {
      outcome: 'summary',
      records: accepted + refused,
      accepted,
      refused,
      sha256: body.sha256,
      upload: identity.uploadId,
      repeated: times > 0,
    };
  }

  private linesOf(body: SpooledBody, settings: UploadSettings): AsyncIterable<Line> {
    return settings.single
      ? wholeBody(body, this.config.maxRecordBytes)
      : splitLines(body.chunks(), this.config.maxRecordBytes);
  }

  /** Reads every record as ingest will, so that what is wrong with it is answered here. */
  private async check(
    kind: UploadKind,
    lines: readonly Line[],
    { fileSha256 }: UploadIdentity,
    settings: UploadSettings,
  ): Promise<CheckedRecord[]> {
    const checked: CheckedRecord[] = [];
    const { trustedToGrade } = this.callers;
    let parsed = 0;
    for (const line of lines) {
      const read = (bytes: Uint8Array) => kind.read({ line: line.number, bytes, settings, fileSha256, trustedToGrade });
      checked.push(checkRecord(line, this.config.maxRecordBytes, read));
      parsed += line.kind === 'line' ? line.bytes.length : 0;
      if (parsed < PARSE_BYTES) continue;
      parsed = 0;
      await othersTurn();
    }
    return checked;
  }

  /** @returns how often the upload came to its end before */
  private async begin(
    { name }: UploadKind,
    { uploadId }: UploadIdentity,
    { sha256 }: SpooledBody,
    { sourceFile }: UploadSettings,
  ): Promise<number> {
    const [known] = await this.database.query<{ content_sha256: string; times: number }>(
      `INSERT INTO upload AS u (upload_id, kind, content_sha256, source_file, submitter) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (upload_id) DO UPDATE SET last_at = now()
       RETURNING content_sha256, times`,
      [uploadId, name, sha256, sourceFile.replaceAll('\0', '\uFFFD'), this.callers.name],
    );
    await this.submissions.keepName(uploadId, sourceFile);
    if (known !== undefined && known.content_sha256 !== sha256) {
      throw conflict(
        'idempotency_key_reused',
        'The Idempotency-Key was used for an upload with another content.',
        'Use a new key for each upload, and the same one to repeat it.',
      );
    }
    return known?.times ?? 0;
  }

  private async end({ uploadId }: UploadIdentity, accepted: number): Promise<void> {
    await this.database.query(
      'UPDATE upload SET accepted = $2, times = times + 1, last_at = now() WHERE upload_id = $1',
      [uploadId, accepted],
    );
  }

  /** Commits the events of a chunk, and what became of its lines. @returns what to answer, by line */
  private async commit(
    kind: UploadKind,
    checked: readonly CheckedRecord[],
    { uploadId, fileSha256 }: UploadIdentity,
    settings: UploadSettings,
  ): Promise<ReadonlyMap<number, object>> {
    const records = await Promise.all(
      checked.flatMap((record) => (record.kind === 'taken' ? [this.offer(record, settings, fileSha256)] : [])),
    );
    const handler = `offer-${kind.name}`;
    const offers = records.map((record) => ({ record, cause: causeOf(`${uploadId}:${record.line}`) }));
    let missing: readonly (Missing | undefined)[] = [];
    await this.database.transaction(handler, async (tx) => {
      missing = await missingOf(tx, groupsOf(records));
      await this.submissions.keep(tx, { uploadId, kind: kind.name, named: settings.sourceFile !== '' }, checked);
      for (const { record, cause } of offers) kind.publish(tx, cause, record);
    });
    return new Map(
      offers.map(({ record, cause }, index) => [
        record.line,
        {
          event_id: derivedEventId(`gateway/${handler}`, cause.id, 0),
          ...kind.answer(record.subject),
          ...(missing[index] !== undefined && { waits_for: missing[index] }),
        },
      ]),
    );
  }

  /** Large records go into the blob store before the event that names them is written. */
  private async offer(
    { line, bytes, subject }: Taken,
    settings: UploadSettings,
    fileSha256: string,
  ): Promise<OfferedRecord> {
    const payload = await storePayload(this.blobs, bytes);
    const submitter = this.submitterOf(bytes, line, settings.sourceFile);
    return { line, subject, payload, settings, fileSha256, submitter };
  }

  private submitterOf(payload: Uint8Array, line: number, sourceFile: string): Submitter {
    const { macSecret } = this.config;
    const { name, trustedToGrade } = this.callers;
    return create(SubmitterSchema, {
      name,
      trustedToGrade,
      sourceFile,
      sourceRecord: BigInt(line),
      ...(macSecret !== undefined && {
        gatewayMac: submitterMac(macSecret, { submitter: name, trustedToGrade, payload }),
      }),
    });
  }
}

/** An upload holds groups alone, or none. */
const groupsOf = (records: readonly OfferedRecord[]): GroupSubject[] =>
  records.flatMap(({ subject: { problemId, group } }) =>
    group === undefined ? [] : [{ problem_id: problemId, target: group.target, checkpoint: group.checkpoint }],
  );

async function* inChunks(lines: AsyncIterable<Line>, maxRecords: number, maxBytes: number): AsyncGenerator<Line[]> {
  let chunk: Line[] = [];
  let bytes = 0;
  for await (const line of lines) {
    chunk.push(line);
    bytes += line.kind === 'line' ? line.bytes.length : 0;
    if (chunk.length < maxRecords && bytes < maxBytes) continue;
    yield chunk;
    chunk = [];
    bytes = 0;
  }
  if (chunk.length > 0) yield chunk;
}

/** A body that is one JSON text, over however many lines. */
async function* wholeBody({ sizeBytes, chunks }: SpooledBody, limitBytes: number): AsyncGenerator<Line> {
  if (sizeBytes > limitBytes) {
    yield { kind: 'too_large', number: 1, sizeBytes };
    return;
  }
  const parts: Uint8Array[] = [];
  for await (const part of chunks()) parts.push(part);
  yield { kind: 'line', number: 1, bytes: Buffer.concat(parts) };
}
