import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { Controller } from '@nestjs/common';
import { BlobStore } from '@tidemark/blob-store';
import { topics } from '@tidemark/event-log';
import { describeFault } from '@tidemark/formats';
import { type ProblemIntake, type ProblemRaw, ProblemRawSchema } from '@tidemark/proto';
import {
  type Caused,
  type EventBatch,
  InjectConfig,
  OnEvent,
  RecordFault,
  type StageTransaction,
  withoutForgotten,
} from '@tidemark/stage-runtime';
import type { IngestConfig } from '../ingest.config.ts';
import { lockRecords, saveRecords } from '../postgres/records.ts';
import { decideOffer, type KnownRecord, type OfferDecision } from './decide-offer.ts';
import { withholding } from '../withholding.ts';
import { type ReadOffer, readOffer } from './read-offer.ts';
import { type About, passedStatus, rejectedStatus, withdrawnEvent } from './to-events.ts';

/** `problems.intake` → `problems.raw` with id and version, or a status that says what is wrong with the record. */
@Controller()
export class OnProblemIntake {
  constructor(
    private readonly blobs: BlobStore,
    @InjectConfig() private readonly config: IngestConfig,
  ) {}

  @OnEvent(topics.problemsIntake, { maxBatchRecords: 200 })
  async handle(batch: EventBatch<ProblemIntake>, tx: StageTransaction): Promise<void> {
    const read: ReadOffer[] = [];
    for (const event of batch) read.push(await readOffer(event, this.blobs, this.config.gatewaySecret));
    // Outside writers use any key: which problem an offer is of is known only now.
    const offers = await withoutForgotten(tx, '', read, ({ event, problemId }) => ({
      record: event.record,
      problemIds: [problemId],
    }));
    const known = await lockRecords(
      tx,
      offers.map((offer) => offer.problemId),
    );
    const changed = new Map<string, KnownRecord>();
    const raws: Caused<ProblemRaw>[] = [];
    for (const offer of offers) {
      const decision = decideOffer(known.get(offer.problemId), offer.offer);
      if (decision.kind === 'refuse') throw refusal(offer, decision.code);
      known.set(offer.problemId, decision.next);
      changed.set(offer.problemId, decision.next);
      raws.push(...publish(tx, offer, decision));
    }
    await saveRecords(tx, changed);
    for (const { cause, value } of await withholding.pass(tx, raws)) tx.publish(cause, topics.problemsRaw, value);
  }
}

/** Says what became of an offer. @returns what is to be passed on, unless it is withdrawn */
function publish(
  tx: StageTransaction,
  offer: ReadOffer,
  decision: Exclude<OfferDecision, { kind: 'refuse' }>,
): readonly Caused<ProblemRaw>[] {
  // What another offers as it was known already changes nothing: the status keeps naming who may withdraw the record.
  if (decision.next.submitter !== offer.submitter.name) return [];
  const about: About = {
    problemId: offer.problemId,
    version: decision.next.version,
    origin: offer.origin,
    submitter: offer.submitter,
    title: offer.read?.content.title ?? '',
    nowMs: Date.now(),
  };
  const warnings = offer.read?.warnings ?? [];
  switch (decision.kind) {
    case 'accept':
      tx.publish(
        offer.event,
        topics.problemsStatus,
        passedStatus(about, `Taken in as version ${about.version}.`, warnings),
      );
      return rawOf(offer, about, decision.next.contentSha256);
    case 'restore':
      tx.publish(offer.event, topics.problemsWithdrawn, withdrawnEvent(about, true));
      tx.publish(
        offer.event,
        topics.problemsStatus,
        passedStatus(about, 'Offered again after it was withdrawn.', warnings),
      );
      return rawOf(offer, about, decision.next.contentSha256);
    case 'unchanged':
      if (decision.next.state === 'withdrawn') return [];
      tx.publish(offer.event, topics.problemsStatus, passedStatus(about, 'Offered again, unchanged.', warnings));
      return [];
    case 'withdraw':
      tx.publish(offer.event, topics.problemsWithdrawn, withdrawnEvent(about, false, offer.reason));
      return [];
    case 'reject':
      tx.publish(offer.event, topics.problemsStatus, rejectedStatus(about, offer.faults));
      return [];
  }
}

function rawOf({ read, event }: ReadOffer, about: About, contentSha256: string): readonly Caused<ProblemRaw>[] {
  if (read === undefined) return [];
  const value = create(ProblemRawSchema, {
    problemId: about.problemId,
    version: about.version,
    origin: about.origin,
    submitter: about.submitter,
    format: read.format,
    ...(event.value.record === undefined ? {} : { original: event.value.record }),
    content: read.content,
    contentSha256,
    ingestedAt: timestampFromMs(about.nowMs),
  });
  return [{ cause: event, value }];
}

function refusal(offer: ReadOffer, code: string): RecordFault {
  const place = { file: offer.submitter.sourceFile, line: Number(offer.submitter.sourceRecord) };
  const reasons: Readonly<Record<string, string>> = {
    not_owner: `problem ${offer.problemId} belongs to another submitter`,
    unknown_record: `problem ${offer.problemId} was never offered`,
    invalid_record: offer.faults.map((fault) => describeFault(place, fault)).join(' '),
  };
  return new RecordFault(code, reasons[code] ?? code, offer.event);
}
