import { hashOfFields } from '@tidemark/identity';

/**
 * Id of an event that follows from another: 32 hexadecimal digits of SHA-256 over handler, id of the cause and number
 * of the event among those of that cause. Repeating the work gives the same id; content has no part in it.
 */
export function derivedEventId(handler: string, causeId: string, ordinal: number): string {
  return hashOfFields(handler, causeId, String(ordinal)).slice(0, 32);
}

const TRACEPARENT = /^00-([0-9a-f]{32})-[0-9a-f]{16}-([0-9a-f]{2})$/;

/**
 * The trace goes on with the event as its next span (W3C Trace Context); where the cause has none, a trace begins at
 * the event. Drawn from the event's id, so that repeating the work gives the same trace.
 */
export function traceparentOf(eventId: string, cause: string | undefined): string {
  const [, trace = eventId, flags = '01'] = TRACEPARENT.exec(cause ?? '') ?? [];
  return `00-${trace}-${hashOfFields('span', eventId).slice(0, 16)}-${flags}`;
}
