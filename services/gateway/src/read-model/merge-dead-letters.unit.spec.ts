import { Stage, StageOutcome } from '@tidemark/proto';
import { describe, expect, it } from 'vitest';
import { mergeDeadLetters } from './merge-dead-letters.ts';

const letter = { stage: Stage.DEDUP, version: 2, reason: 'undecodable' };
const status = (version: number) => ({ stage: Stage.DEDUP, version, outcome: StageOutcome.PASSED, reason: '' });

describe('a dead letter among the statuses', () => {
  it('speaks for a stage that said nothing of the version', () => {
    expect(mergeDeadLetters([status(1)], [letter])).toEqual([
      { stage: Stage.DEDUP, version: 2, outcome: StageOutcome.DEAD_LETTERED, reason: 'undecodable' },
    ]);
  });

  it('gives way to the word of the stage on the same version or a later one', () => {
    expect(mergeDeadLetters([status(2)], [letter])).toEqual([status(2)]);
    expect(mergeDeadLetters([status(3)], [letter])).toEqual([status(3)]);
  });

  it('of several counts the one with the highest version', () => {
    const letters = [letter, { ...letter, version: 1, reason: 'older' }];
    expect(mergeDeadLetters([], letters)[0]).toMatchObject({ version: 2, reason: 'undecodable' });
  });
});
