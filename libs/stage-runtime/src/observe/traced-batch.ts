import type { TopicHandler } from '../consume/topic-handler.ts';
import type { Incoming } from '../consume/incoming.ts';
import type { Hop, Tracing } from './tracing.ts';

/** Records of a batch, each with a hop of its own that what follows from it carries on. */
export interface TracedBatch {
  readonly records: readonly Incoming[];
  /** To be called once what was done is committed. */
  end(): void;
}

/** Begins a hop for each record; without traces the records go through as they are. */
export function traceBatch(
  tracing: Tracing | undefined,
  { topic }: Pick<TopicHandler, 'topic'>,
  records: readonly Incoming[],
): TracedBatch {
  if (tracing === undefined) return { records, end: () => undefined };
  const hops: Hop[] = [];
  const traced = records.map((incoming) => {
    if (incoming.kind === 'undecodable') return incoming;
    const event = incoming.kind === 'event' ? incoming.event : incoming.removed;
    const hop = tracing.hop(`process ${topic.name}`, 'consumer', event.traceparent, attributesOf(incoming));
    hops.push(hop);
    const { traceparent } = hop;
    return incoming.kind === 'event'
      ? { ...incoming, event: { ...incoming.event, traceparent } }
      : { ...incoming, removed: { ...incoming.removed, traceparent } };
  });
  return {
    records: traced,
    end: () => {
      for (const hop of hops) hop.end();
    },
  };
}

/** A record that was laid aside, in its trace. */
export function traceFault(
  tracing: Tracing | undefined,
  { topic }: Pick<TopicHandler, 'topic'>,
  incoming: Incoming,
  fault: { readonly code: string },
): void {
  const header = incoming.record.headers.traceparent;
  const cause = header === undefined ? undefined : Buffer.from(header).toString();
  tracing?.hop(`process ${topic.name}`, 'consumer', cause, attributesOf(incoming)).end(`dead letter: ${fault.code}`);
}

/** Of the semantic conventions for messaging; never a value. */
function attributesOf({ id, record, keyBytes }: Incoming): Record<string, string> {
  return {
    'messaging.operation.type': 'process',
    'messaging.destination.name': record.topic,
    'messaging.destination.partition.id': String(record.partition),
    'messaging.message.id': id,
    'tidemark.key': Buffer.from(keyBytes).toString(),
  };
}
