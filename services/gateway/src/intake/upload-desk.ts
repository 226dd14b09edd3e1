import { Injectable } from '@nestjs/common';
import type { Warning } from '@tidemark/formats';
import { InjectConfig } from '@tidemark/stage-runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../gateway.config.ts';
import { type Caller, callerOf } from '../access/caller.ts';
import { tooLarge, unusable } from '../http/http-problem.ts';
import { sendNdjson } from '../http/send-ndjson.ts';
import type { FaultJson } from './check-record.ts';
import { inChunks, wholeBody } from './chunks.ts';
import { type SpooledBody, spoolBody } from './spool-body.ts';
import { splitLines } from './split-lines.ts';
import { identifyUpload } from './upload-identity.ts';
import { isArchive, unpackBody } from './unpack-body.ts';
import { readUploadSettings, type UploadSettings } from './upload-settings.ts';
import { UploadRoom } from './upload-room.ts';
import { type UploadKind, Uploads } from './uploads.ts';

/** One upload from request to answer. */
@Injectable()
export class UploadDesk {
  constructor(
    private readonly uploads: Uploads,
    private readonly room: UploadRoom,
    @InjectConfig() private readonly config: GatewayConfig,
  ) {}

  async serve(kind: UploadKind, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const settings = readUploadSettings(request);
    this.checkAnnouncedSize(request);
    const leave = this.room.take();
    let body: SpooledBody | undefined;
    try {
      body = await spoolBody(request.raw, {
        limitBytes: this.config.maxUploadBytes,
        encoding: request.headers['content-encoding'],
      });
      const answers = isArchive(request.headers['content-type'])
        ? await this.takePackage(callerOf(request), kind, body, settings)
        : this.take(callerOf(request), kind, body, settings);
      if (settings.single) await sendSingle(reply, answers);
      else await sendNdjson(reply, answers);
    } finally {
      // Awaiting a reply waits for its last byte, or for the caller to go away.
      leave();
      await body?.dispose();
    }
  }

  /** A problem package is one record, read here so that ingest and everyone behind it see records alone. */
  private async takePackage(
    caller: Caller,
    kind: UploadKind,
    body: SpooledBody,
    settings: UploadSettings,
  ): Promise<AsyncIterable<object>> {
    if (kind.name !== 'problems') {
      throw unusable(
        'Attempts do not come in archives.',
        [{ where: 'content-type', why: 'an archive' }],
        'Send JSON Lines.',
      );
    }
    const { defaults, allowMissingTests, sourceFile } = settings;
    const { body: record, warnings } = await unpackBody(body, sourceFile, { ...defaults, allowMissingTests });
    const taken = this.take(caller, kind, record, { ...settings, format: '', single: false });
    return withWarnings(taken, warnings);
  }

  /**
   * Answers one object a record, in the order of the lines, and a summary as the last one. Without the summary the
   * upload did not come to its end; sending it again is harmless.
   */
  private async *take(
    caller: Caller,
    kind: UploadKind,
    body: SpooledBody,
    settings: UploadSettings,
  ): AsyncGenerator<object> {
    const { sha256 } = body;
    const identity = identifyUpload({ kind: kind.name, submitter: caller.name, ...settings, sha256 });
    const causeOf = (line: number) => `${identity.uploadId}:${line}`;
    const upload = await this.uploads.open({ kind, caller, settings, identity, sha256, causeOf });
    const limit = this.config.maxRecordBytes;
    const lines = settings.single ? wholeBody(body, limit) : splitLines(body.chunks(), limit);
    for await (const chunk of inChunks(lines)) yield* (await upload.offer(chunk)).answers;
    const { upload: id, repeated, ...counts } = await upload.end();
    yield { outcome: 'summary', ...counts, sha256, upload: id, repeated };
  }

  private checkAnnouncedSize({ headers }: FastifyRequest): void {
    if (Number(headers['content-length'] ?? 0) <= this.config.maxUploadBytes) return;
    throw tooLarge('The upload', this.config.maxUploadBytes, 'Split the file and send the parts one after the other.');
  }
}

/** What was said of the package is said of its record. */
async function* withWarnings(answers: AsyncIterable<object>, warnings: readonly Warning[]): AsyncGenerator<object> {
  for await (const answer of answers) {
    const { outcome, warnings: own = [] } = answer as {
      readonly outcome: string;
      readonly warnings?: readonly Warning[];
    };
    const told = [...warnings, ...own];
    yield outcome === 'accepted' && told.length > 0 ? { ...answer, warnings: told } : answer;
  }
}

/** A single record is answered by status: 202 with its event id, or 422 with the reason. */
async function sendSingle(reply: FastifyReply, answers: AsyncIterable<object>): Promise<void> {
  const all: object[] = [];
  for await (const answer of answers) all.push(answer);
  const [answer] = all as [SingleAnswer];
  if (answer.outcome === 'accepted') {
    const { line: _line, ...rest } = answer;
    await reply.status(202).send(rest);
    return;
  }
  if (answer.outcome === 'summary') {
    throw unusable('The record was not taken.', [{ where: 'body', why: 'the body is empty' }], 'Send one JSON object.');
  }
  const { field, code, reason, do: todo, more = [] } = answer;
  throw unusable(
    'The record was not taken.',
    [{ field, code, reason }, ...more].map((fault) => ({
      where: fault.field === '' ? 'body' : `body.${fault.field}`,
      why: `${fault.reason} (${fault.code})`,
    })),
    todo,
  );
}

type SingleAnswer =
  | ({ readonly outcome: 'accepted'; readonly line: number } & object)
  | ({ readonly outcome: 'refused'; readonly more?: readonly FaultJson[] } & FaultJson)
  | { readonly outcome: 'summary' };
