import { create } from '@bufbuild/protobuf';
import { PayloadSchema, StopReason } from '@tidemark/proto';
import { describe, expect, it } from 'vitest';
import { chooseAnswers } from './choose-answers.ts';

const answer = (slot: number, problemVersion: number, promptHash: string) => ({
  slot,
  output: create(PayloadSchema),
  stopReason: StopReason.STOP,
  promptTokens: 0,
  outputTokens: 0,
  seed: undefined,
  promptHash,
  problemVersion,
  targetVersion: 1,
});
const slots = (...answers: ReturnType<typeof answer>[]) => chooseAnswers(answers).map(({ slot }) => slot);

describe('the answers of a group that was not filled', () => {
  it('are all when they answer one prompt', () => {
    expect(slots(answer(0, 1, 'a'), answer(3, 1, 'a'))).toEqual([0, 3]);
  });

  it('are those of the newest version, then those of the prompt with most answers', () => {
    expect(slots(answer(0, 1, 'a'), answer(1, 1, 'a'), answer(2, 2, 'b'))).toEqual([2]);
    expect(slots(answer(0, 1, 'a'), answer(1, 1, 'b'), answer(2, 1, 'b'))).toEqual([1, 2]);
  });

  it('are none where none came', () => {
    expect(slots()).toEqual([]);
  });
});
