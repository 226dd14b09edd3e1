import { create } from '@bufbuild/protobuf';
import { DeadLetterSchema } from '@tidemark/proto';
import { describe, expect, it } from 'vitest';
import { decideReplay } from './decide-replay.ts';

const letter = create(DeadLetterSchema, { topic: 'problems.raw.v1' });

describe('a dead letter', () => {
  it('is replayed while it is open, or was dropped', () => {
    expect(decideReplay('open', letter, true).kind).toBe('replay');
    expect(decideReplay('dropped', letter, true).kind).toBe('replay');
  });

  it.each([
    ['replayed', letter, true, 'replayed'],
    ['open', undefined, true, 'expired'],
    ['open', letter, false, 'service_absent'],
  ] as const)('that is %s may be refused, with the reason', (state, found, ready, code) => {
    expect(decideReplay(state, found, ready)).toMatchObject({ kind: 'refused', code });
  });
});
