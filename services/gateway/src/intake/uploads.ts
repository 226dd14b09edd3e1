import { setImmediate as othersTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { BlobStore, storePayload } from '@tidemark/blob-store';
import type { Warning } from '@tidemark/formats';
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
import type { Caller } from '../access/caller.ts';
import { conflict } from '../http/http-problem.ts';
import type { GatewayConfig } from '../gateway.config.ts';
import {
  type CheckedRecord,
  checkRecord,
  faultJson,
  type FaultJson,
  type ReadRecord,
  type Subject,
} from './check-record.ts';
import type { Line } from './split-lines.ts';
import { type GroupSubject, type Missing, missingOf } from './missing-subjects.ts';
import { type TurnedAway, turnedAwayOf } from './turned-away.ts';
import { Submissions } from './submissions.ts';
import type { UploadIdentity } from './upload-identity.ts';
import type { RecordSettings } from './upload-settings.ts';

/** Bytes that are parsed in one go; others get their turn in between. */
const PARSE_BYTES = 512 * 1024;

/** What differs between problems and rollouts. */
export interface UploadKind {
  readonly name: 'problems' | 'rollouts';
  /** Reads a record with the parser of its format. */
  read(record: UnreadRecord): ReadRecord;
  /** Publishes the record on its intake topic, keyed by its problem: what is said of one stays in its order. */
  publish(tx: StageTransaction, cause: Cause, record: OfferedRecord): void;
}

/** A record as it came. */
export interface UnreadRecord {
  readonly line: number;
  readonly bytes: Uint8Array;
  readonly settings: RecordSettings;
  readonly fileSha256: string;
  readonly caller: Caller;
}

/** A record that is taken: stored, and vouched for. */
export interface OfferedRecord {
  readonly line: number;
  readonly subject: Subject;
  readonly payload: Payload;
  readonly submitter: Submitter;
  readonly settings: RecordSettings;
  readonly fileSha256: string;
}

type Taken = CheckedRecord & { readonly kind: 'taken' };

/** What became of one record at the door. */
export type RecordAnswer =
  | {
      readonly outcome: 'accepted';
      readonly line: number;
      readonly event_id: string;
      readonly problem_id: string;
      /** Of a group of attempts. */
      readonly group?: string;
      readonly waits_for?: Missing;
      readonly turned_away?: TurnedAway;
      readonly warnings?: readonly Warning[];
    }
  | ({ readonly outcome: 'refused'; readonly line: number; readonly more?: readonly FaultJson[] } & FaultJson);

/** What became of a few records. */
export interface Offered {
  /** One for each, in their order. */
  readonly answers: readonly RecordAnswer[];
  /** Of those that were taken, by line. */
  readonly subjects: ReadonlyMap<number, Subject>;
}

/** An upload at its end. */
export interface UploadSummary {
  readonly records: number;
  readonly accepted: number;
  readonly refused: number;
  readonly upload: string;
  /** It came to its end before. */
  readonly repeated: boolean;
}

/** What an upload is, whichever door it came by. */
export interface UploadHead {
  readonly kind: UploadKind;
  readonly caller: Caller;
  readonly settings: RecordSettings;
  readonly identity: UploadIdentity;
  /** Of the whole content; of a stream, which has none before its end, what names it. */
  readonly sha256: string;
  /** What the id of a record's event derives from. */
  readonly causeOf: (line: number, bytes: Uint8Array) => string;
}

/** Takes uploads: an answer means that the record's event is committed to the outbox. */
@Injectable()
export class Uploads {
  constructor(
    private readonly database: StageDatabase,
    private readonly blobs: BlobStore,
    private readonly submissions: Submissions,
    @InjectConfig() private readonly config: GatewayConfig,
  ) {}

  /** @throws HttpProblem 409 when the idempotency key was used for another content */
  async open(head: UploadHead): Promise<OpenUpload> {
    const { identity, sha256, kind, caller, settings } = head;
    const [known] = await this.database.query<{ content_sha256: string; times: number }>(
      `INSERT INTO upload AS u (upload_id, kind, content_sha256, source_file, submitter) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (upload_id) DO UPDATE SET last_at = now()
       RETURNING content_sha256, times`,
      [identity.uploadId, kind.name, sha256, settings.sourceFile.replaceAll('\0', '\uFFFD'), caller.name],
    );
    await this.submissions.keepName(identity.uploadId, settings.sourceFile);
    if (known !== undefined && known.content_sha256 !== sha256) {
      throw conflict(
        'idempotency_key_reused',
        'The Idempotency-Key was used for an upload with another content.',
        'Use a new key for each upload, and the same one to repeat it.',
      );
    }
    return new OpenUpload(head, (known?.times ?? 0) > 0, this.database, this.blobs, this.submissions, this.config);
  }
}

/** An upload that is being taken, a few records at a time. */
export class OpenUpload {
  private accepted = 0;
  private refused = 0;

  constructor(
    private readonly head: UploadHead,
    private readonly repeated: boolean,
    private readonly database: StageDatabase,
    private readonly blobs: BlobStore,
    private readonly submissions: Submissions,
    private readonly config: GatewayConfig,
  ) {}

  /** Commits the good ones of these records. */
  async offer(lines: readonly Line[]): Promise<Offered> {
    const checked = await this.check(lines);
    const events = await this.commit(checked);
    const taken = checked.filter((record) => record.kind === 'taken');
    const subjects = new Map(taken.map(({ line, subject }) => [line, subject]));
    return { subjects, answers: this.answersTo(checked, events) };
  }

  private answersTo(checked: readonly CheckedRecord[], events: ReadonlyMap<number, CommittedRecord>): RecordAnswer[] {
    return checked.map((record): RecordAnswer => {
      if (record.kind === 'refused') {
        this.refused += 1;
        const [first, ...more] = record.faults.map(faultJson) as [FaultJson, ...FaultJson[]];
        return { outcome: 'refused', line: record.line, ...first, ...(more.length > 0 && { more }) };
      }
      this.accepted += 1;
      const { line, warnings } = record;
      return {
        outcome: 'accepted',
        line,
        ...(events.get(line) as CommittedRecord),
        ...(warnings.length > 0 && { warnings }),
      };
    });
  }

  /** The upload came to its end: what was offered of it is all there is. */
  async end(): Promise<UploadSummary> {
    const { uploadId } = this.head.identity;
    await this.database.query(
      'UPDATE upload SET accepted = $2, times = times + 1, last_at = now() WHERE upload_id = $1',
      [uploadId, this.accepted],
    );
    const { accepted, refused, repeated } = this;
    return { records: accepted + refused, accepted, refused, upload: uploadId, repeated };
  }

  /** Reads every record as ingest will, so that what is wrong with it is answered here. */
  private async check(lines: readonly Line[]): Promise<CheckedRecord[]> {
    const { kind, settings, caller, identity } = this.head;
    const { fileSha256 } = identity;
    const checked: CheckedRecord[] = [];
    let parsed = 0;
    for (const line of lines) {
      const read = (bytes: Uint8Array) => kind.read({ line: line.number, bytes, settings, fileSha256, caller });
      checked.push(checkRecord(line, this.config.maxRecordBytes, read));
      parsed += line.kind === 'line' ? line.bytes.length : 0;
      if (parsed < PARSE_BYTES) continue;
      parsed = 0;
      await othersTurn();
    }
    return checked;
  }

  /** Commits the events of a chunk, and what became of its lines. @returns what to answer, by line */
  private async commit(checked: readonly CheckedRecord[]): Promise<ReadonlyMap<number, CommittedRecord>> {
    const { kind, settings, identity } = this.head;
    const taken = checked.filter((record) => record.kind === 'taken');
    const records = await Promise.all(taken.map((record) => this.stored(record)));
    const handler = `offer-${kind.name}`;
    const offers = records.map((record, index) => {
      const bytes = (taken[index] as Taken).bytes;
      return { record, cause: causeOf(this.head.causeOf(record.line, bytes)) };
    });
    let missing: readonly (Missing | undefined)[] = [];
    let turnedAway: ReadonlyMap<string, TurnedAway> = new Map();
    await this.database.transaction(handler, async (tx) => {
      const groups = groupsOf(records);
      missing = await missingOf(tx, groups);
      turnedAway = await turnedAwayOf(
        tx,
        groups.map(({ problem_id }) => problem_id),
      );
      const upload = { uploadId: identity.uploadId, kind: kind.name, named: settings.sourceFile !== '' };
      await this.submissions.keep(tx, upload, checked);
      for (const { record, cause } of offers) kind.publish(tx, cause, record);
    });
    return new Map(
      offers.map(({ record: { line, subject }, cause }, index) => {
        const waitsFor = missing[index];
        const away = turnedAway.get(subject.problemId);
        return [
          line,
          {
            event_id: derivedEventId(`gateway/${handler}`, cause.id, 0),
            ...(subject.group !== undefined && { group: subject.group.id }),
            problem_id: subject.problemId,
            ...(waitsFor !== undefined && { waits_for: waitsFor }),
            ...(away !== undefined && { turned_away: away }),
          },
        ];
      }),
    );
  }

  /** Large records go into the blob store before the event that names them is written. */
  private async stored({ line, bytes, subject }: Taken): Promise<OfferedRecord> {
    const { settings, identity } = this.head;
    const payload = await storePayload(this.blobs, bytes);
    const submitter = this.submitterOf(bytes, line);
    return { line, subject, payload, settings, fileSha256: identity.fileSha256, submitter };
  }

  private submitterOf(payload: Uint8Array, line: number): Submitter {
    const { macSecret } = this.config;
    const { name, trustedToGrade } = this.head.caller;
    return create(SubmitterSchema, {
      name,
      trustedToGrade,
      sourceFile: this.head.settings.sourceFile,
      sourceRecord: BigInt(line),
      ...(macSecret !== undefined && {
        gatewayMac: submitterMac(macSecret, { submitter: name, trustedToGrade, payload }),
      }),
    });
  }
}

type CommittedRecord = Omit<RecordAnswer & { outcome: 'accepted' }, 'outcome' | 'line' | 'warnings'>;

/** An upload holds groups alone, or none. */
const groupsOf = (records: readonly OfferedRecord[]): GroupSubject[] =>
  records.flatMap(({ subject: { problemId, group } }) =>
    group === undefined ? [] : [{ problem_id: problemId, target: group.target, checkpoint: group.checkpoint }],
  );
