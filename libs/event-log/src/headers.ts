/**
 * Event metadata travels as CloudEvents headers (Kafka binding, binary mode), so that a consumer that doesn't know a
 * schema still knows what it holds.
 */
export const headerNames = {
  /** Unique per event and the same when it is delivered or derived again. */
  id: 'ce_id',
  /** Full protobuf message name. */
  type: 'ce_type',
  /** `/tidemark/<service>`. */
  source: 'ce_source',
  /** RFC 3339 time of the event, UTC. */
  time: 'ce_time',
  specVersion: 'ce_specversion',
  /** W3C trace context. */
  traceparent: 'traceparent',
  /** Decimal revision of a tombstone, which has no message to carry it. */
  revision: 'tidemark-revision',
} as const;
