import { EventEmitter } from 'node:events';
import { Metadata, type ServerWritableStream, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Caller } from '../access/caller.ts';
import { HttpProblem } from '../http/http-problem.ts';
import { type OpenCall, PATIENCE_MS, serverStream } from './calls.ts';

/** A call whose client takes as many messages as it is told, and then none. */
class FakeCall extends EventEmitter {
  readonly metadata = new Metadata();
  readonly request = {};
  readonly written: unknown[] = [];
  readonly faults: { code: status; details: string }[] = [];
  ended = false;

  constructor(public room: number) {
    super();
    this.on('error', (fault: { code: status; details: string }) => this.faults.push(fault));
  }

  write(message: unknown): boolean {
    this.written.push(message);
    this.room -= 1;
    return this.room > 0;
  }

  end(): void {
    this.ended = true;
  }
}

let made = 0;
let left = false;
async function* endless(): AsyncGenerator<never> {
  try {
    for (;;) {
      made += 1;
      yield made as never;
    }
  } finally {
    left = true;
  }
}
const told: string[] = [];
const open: OpenCall = (_metadata, signal) => ({
  context: { caller: {} as Caller, action: 'spec', signal, permit: () => Promise.resolve() },
  ended: (result) => told.push(result),
});
const serve = (call: FakeCall, messages: () => AsyncIterable<never>) =>
  serverStream(open, messages)(call as unknown as ServerWritableStream<never, never>);

beforeEach(() => {
  vi.useFakeTimers();
  [made, left] = [0, false];
  told.length = 0;
});
afterEach(() => vi.useRealTimers());

describe('a stream of answers', () => {
  it('stops where its client stops reading, goes on when it reads, and lets it go after a minute without', async () => {
    const call = new FakeCall(3);
    serve(call, endless);
    await vi.advanceTimersByTimeAsync(PATIENCE_MS - 1);
    expect([made, left]).toEqual([3, false]);
    call.room = 2;
    call.emit('drain');
    await vi.advanceTimersByTimeAsync(PATIENCE_MS - 1);
    expect([made, left]).toEqual([5, false]);
    await vi.advanceTimersByTimeAsync(1);
    expect([made, left, told]).toEqual([5, true, ['RESOURCE_EXHAUSTED']]);
    expect(call.faults).toMatchObject([{ code: status.RESOURCE_EXHAUSTED }]);
    expect(call.listenerCount('drain')).toBe(0);
  });

  it('ends its work when the client leaves, also while it waits for it', async () => {
    const call = new FakeCall(1);
    serve(call, endless);
    await vi.advanceTimersByTimeAsync(10);
    call.emit('cancelled');
    await vi.advanceTimersByTimeAsync(10);
    expect([made <= 2, left, told]).toEqual([true, true, ['CANCELLED']]);
  });

  it('tells what went wrong as HTTP does, and of the unforeseen nothing but that', async () => {
    const failing = async (error: Error) => {
      const call = new FakeCall(9);
      serve(call, async function* () {
        yield 1 as never;
        throw error;
      });
      await vi.advanceTimersByTimeAsync(1);
      return call.faults[0];
    };
    const problem = new HttpProblem({ status: 404, code: 'unknown_target', what: 'None.', todo: 'Make one.' });
    expect(await failing(problem)).toMatchObject({ code: status.NOT_FOUND, details: 'None.' });
    const unforeseen = await failing(new Error('a secret of the inside'));
    expect(unforeseen).toMatchObject({ code: status.INTERNAL });
    expect(JSON.stringify(unforeseen)).not.toContain('secret');
  });
});
