import { Injectable } from '@nestjs/common';
import { hashOfFields, sha256Hex } from '@tidemark/identity';
import type { Caller } from '../access/caller.ts';
import { unusable } from '../http/http-problem.ts';
import type { Subject } from './check-record.ts';
import { CHUNK_RECORDS } from './chunks.ts';
import type { Line } from './split-lines.ts';
import { identifyUpload } from './upload-identity.ts';
import { UploadRoom } from './upload-room.ts';
import type { NamedSettings } from './upload-settings.ts';
import { type Offered, type RecordAnswer, type UploadKind, type UploadSummary, Uploads } from './uploads.ts';

/** Records of one call at most. */
export const MAX_RECORDS = 500;

/** Takes a few records that are all there: an upload that is opened, offered and ended in one. */
@Injectable()
export class RecordLists {
  constructor(
    private readonly uploads: Uploads,
    private readonly room: UploadRoom,
  ) {}

  /**
   * The same records again are the same upload, unless a key names it.
   *
   * @throws HttpProblem 409, 422, 429
   */
  async take(
    caller: Caller,
    kind: UploadKind,
    records: readonly Uint8Array[],
    settings: NamedSettings,
    most = MAX_RECORDS,
  ): Promise<Offered & { readonly summary: UploadSummary }> {
    if (records.length < 1 || records.length > most) {
      const why = `has ${records.length} records; send 1 to ${most}`;
      throw unusable('That many records are not taken at once.', [{ where: 'records', why }], 'Send several requests.');
    }
    const leave = this.room.take();
    try {
      const sha256 = hashOfFields('records', ...records.map(sha256Hex));
      const identity = identifyUpload({ kind: kind.name, submitter: caller.name, ...settings, sha256 });
      const causeOf = (line: number) => `${identity.uploadId}:${line}`;
      const upload = await this.uploads.open({ kind, caller, settings, identity, sha256, causeOf });
      const lines = records.map((bytes, index): Line => ({ kind: 'line', number: index + 1, bytes }));
      const answers: RecordAnswer[] = [];
      const subjects = new Map<number, Subject>();
      for (let from = 0; from < lines.length; from += CHUNK_RECORDS) {
        const offered = await upload.offer(lines.slice(from, from + CHUNK_RECORDS));
        answers.push(...offered.answers);
        for (const [line, subject] of offered.subjects) subjects.set(line, subject);
      }
      return { answers, subjects, summary: await upload.end() };
    } finally {
      leave();
    }
  }
}
