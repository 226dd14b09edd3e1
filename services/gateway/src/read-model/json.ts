import { timestampDate, type Timestamp } from '@bufbuild/protobuf/wkt';
import type { Evidence, Interval, Origin, Producer } from '@tidemark/proto';
import { originKindName } from './names.ts';

/** Parts of events as they are kept and shown: plain JSON, with the names of the contracts. */

export const dateOf = (time: Timestamp | undefined): Date | null => (time === undefined ? null : timestampDate(time));

export const evidenceJson = (evidence: readonly Evidence[]) =>
  evidence.map(({ kind, text, subjectId, value }) => ({
    kind,
    text,
    ...(subjectId !== '' && { subject_id: subjectId }),
    ...(value !== undefined && { value }),
  }));

export const originJson = (origin: Origin | undefined) =>
  origin === undefined
    ? null
    : {
        namespace: origin.namespace,
        record_id: origin.recordId,
        kind: originKindName(origin.kind),
        licence: origin.licence,
        url: origin.url,
        platform: origin.platform,
        published_at: dateOf(origin.publishedAt)?.toISOString() ?? null,
        scraped_at: dateOf(origin.scrapedAt)?.toISOString() ?? null,
        difficulty_label: origin.difficultyLabel,
      };

export const intervalJson = (interval: Interval | undefined) =>
  interval === undefined
    ? null
    : { low: interval.low, high: interval.high, level: interval.level, method: interval.method };

export const producerJson = (producer: Producer | undefined) =>
  producer === undefined ? null : { name: producer.name, version: producer.version, settings: producer.settings };
