import { Stage, StageOutcome } from '@tidemark/proto';
import { describe, expect, it } from 'vitest';
import { mergeDeadLetters } from './merge-dead-letters.ts';

const letter = { stage: Stage.DEDUP, topic: 'problems.normalized.v1', version: 2, reason: 'undecodable' };
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

  it.each([
    ['of a stage off the way', { ...letter, stage: Stage.SELECT, topic: 'problems.scored.v1' }],
    [
      'of a stage off the way that reads what one on it reads',
      { ...letter, stage: Stage.CALIBRATE, topic: 'problems.unique.v1' },
    ],
    ['of the read model', { ...letter, stage: Stage.GATEWAY, topic: 'problems.raw.v1' }],
    ['about what a stage hears of others', { ...letter, topic: 'problems.status.v1' }],
  ])('says nothing of the problem when it is %s', (_, other) => {
    expect(mergeDeadLetters([status(1)], [other])).toEqual([status(1)]);
  });
});
