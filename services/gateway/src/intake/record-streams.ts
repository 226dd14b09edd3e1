import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { hashOfFields, sha256Hex } from '@tidemark/identity';
import type { Caller } from '../access/caller.ts';
import { CHUNK_BYTES, CHUNK_RECORDS } from './chunks.ts';
import { inBursts } from './in-bursts.ts';
import type { Line } from './split-lines.ts';
import { UploadRoom } from './upload-room.ts';
import type { NamedSettings } from './upload-settings.ts';
import { type RecordAnswer, type UploadKind, type UploadSummary, Uploads } from './uploads.ts';

/** How long a record waits for company before it is committed, in ms. */
const LINGER_MS = 20;

/** Takes records as they come, and answers each once it is durable. */
@Injectable()
export class RecordStreams {
  constructor(
    private readonly uploads: Uploads,
    private readonly room: UploadRoom,
  ) {}

  /**
   * Holds no more than one burst of records: the next is not read before the answers to this one are taken. A stream
   * with a key that is sent again changes nothing.
   */
  async *take(
    caller: Caller,
    kind: UploadKind,
    records: AsyncIterable<Uint8Array>,
    settings: NamedSettings,
  ): AsyncGenerator<RecordAnswer | { readonly outcome: 'summary'; readonly summary: UploadSummary }> {
    const leave = this.room.take();
    try {
      const key = settings.idempotencyKey ?? randomUUID();
      const name = hashOfFields('record-stream', kind.name, caller.name, key);
      const identity = { uploadId: name, fileSha256: name };
      // Another record in the place of one is another record.
      const causeOf = (line: number, bytes: Uint8Array) => `${name}:${line}:${sha256Hex(bytes)}`;
      const upload = await this.uploads.open({ kind, caller, settings, identity, sha256: name, causeOf });
      let number = 0;
      const bursts = inBursts(records, { most: CHUNK_RECORDS, mostBytes: CHUNK_BYTES, lingerMs: LINGER_MS });
      for await (const burst of bursts) {
        const lines = burst.map((bytes): Line => ({ kind: 'line', number: (number += 1), bytes }));
        yield* (await upload.offer(lines)).answers;
      }
      yield { outcome: 'summary', summary: await upload.end() };
    } finally {
      leave();
    }
  }
}
