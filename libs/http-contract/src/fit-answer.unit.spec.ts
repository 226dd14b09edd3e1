import { expect, it } from 'vitest';
import { z } from 'zod';
import { fitAnswer, UnfitAnswerError } from './fit-answer.ts';

const schema = z.object({ rows: z.array(z.object({ count: z.number() })) });

it('keeps what a newer gateway says beyond what is expected', () => {
  const answer = { rows: [{ count: 1, of: 'later' }], more: true };
  expect(fitAnswer(schema, answer)).toBe(answer);
});

it('names the places that are not as expected', () => {
  expect(() => fitAnswer(schema, { rows: [{ count: 1 }, { count: 'two' }] })).toThrow(/rows\.1\.count: .*number/);
  expect(() => fitAnswer(schema, 'hello')).toThrow(UnfitAnswerError);
});
