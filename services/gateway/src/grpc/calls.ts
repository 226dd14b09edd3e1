import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import type { Metadata, ServerDuplexStream, ServerUnaryCall, ServerWritableStream, sendUnaryData } from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import type { Caller } from '../access/caller.ts';
import { toStatus } from './to-status.ts';

/** A client that takes nothing of what it is sent for this long is let go. */
export const PATIENCE_MS = 60_000;

/** What a handler is given beside the request. */
export interface CallContext {
  readonly caller: Caller;
  readonly action: string;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  /**
   * Checks that the caller may use a target, and writes commands down. Called once, before anything is done.
   * @throws HttpProblem 403
   */
  permit(subject: Readonly<Record<string, string>>): Promise<void>;
}

/** Opens the context of a call that was let in. @returns the context, and what is told the status at its end */
export type OpenCall = (
  metadata: Metadata,
  signal: AbortSignal,
) => { context: CallContext; ended: (result: string) => void };

type Emitter = Pick<NodeJS.EventEmitter, 'on'>;

function signalOf(call: Emitter): AbortSignal {
  const gone = new AbortController();
  for (const event of ['cancelled', 'close', 'error']) call.on(event, () => gone.abort());
  return gone.signal;
}

/** One message in, one out. */
export function unaryCall<I extends DescMessage, O extends DescMessage>(
  open: OpenCall,
  handle: (request: MessageShape<I>, context: CallContext) => Promise<MessageShape<O>>,
) {
  return (call: ServerUnaryCall<MessageShape<I>, MessageShape<O>>, reply: sendUnaryData<MessageShape<O>>): void => {
    const { context, ended } = open(call.metadata, signalOf(call));
    handle(call.request, context).then(
      (response) => {
        ended('OK');
        reply(null, response);
      },
      (thrown: unknown) => {
        const fault = toStatus(thrown);
        ended(status[fault.code]);
        reply(fault);
      },
    );
  };
}

/** One message in, many out, at the pace of the reader. */
export function serverStream<I extends DescMessage, O extends DescMessage>(
  open: OpenCall,
  handle: (request: MessageShape<I>, context: CallContext) => AsyncIterable<MessageShape<O>>,
) {
  return (call: ServerWritableStream<MessageShape<I>, MessageShape<O>>): void => {
    const { context, ended } = open(call.metadata, signalOf(call));
    void answer(call, handle(call.request, context), context.signal, ended);
  };
}

/** Many in, many out: nothing is read while the client does not read its answers. */
export function duplexStream<I extends DescMessage, O extends DescMessage>(
  open: OpenCall,
  handle: (requests: AsyncIterable<MessageShape<I>>, context: CallContext) => AsyncIterable<MessageShape<O>>,
) {
  return (call: ServerDuplexStream<MessageShape<I>, MessageShape<O>>): void => {
    const { context, ended } = open(call.metadata, signalOf(call));
    // Left early, the iterator must not destroy the call: its status still has to go out.
    const requests = call.iterator({ destroyOnReturn: false }) as AsyncIterable<MessageShape<I>>;
    void answer(call, handle(requests, context), context.signal, ended);
  };
}

interface Writable<T> {
  write(message: T): boolean;
  end(): void;
  destroy(error: Error): void;
  emit(event: 'error', fault: object): boolean;
  once(event: string, listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
}

async function answer<T>(
  call: Writable<T>,
  messages: AsyncIterable<T>,
  signal: AbortSignal,
  ended: (result: string) => void,
): Promise<void> {
  try {
    for await (const message of messages) {
      if (signal.aborted) break;
      if (!call.write(message) && !(await drained(call, signal))) {
        ended('RESOURCE_EXHAUSTED');
        call.emit('error', { code: status.RESOURCE_EXHAUSTED, details: 'Nothing was read for a minute.' });
        return;
      }
    }
    ended(signal.aborted ? 'CANCELLED' : 'OK');
    call.end();
  } catch (thrown) {
    const fault = toStatus(thrown);
    ended(status[fault.code]);
    if (!signal.aborted) call.emit('error', fault);
  }
}

/** @returns false when the client took nothing for too long; true when it did, or has gone */
function drained<T>(call: Writable<T>, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const done = (inTime: boolean) => () => {
      clearTimeout(timer);
      call.off('drain', drain);
      signal.removeEventListener('abort', drain);
      resolve(inTime);
    };
    const drain = done(true);
    const timer = setTimeout(done(false), PATIENCE_MS);
    call.once('drain', drain);
    signal.addEventListener('abort', drain, { once: true });
    if (signal.aborted) drain();
  });
}
