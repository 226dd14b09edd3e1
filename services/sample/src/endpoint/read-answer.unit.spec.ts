import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAnswer } from './read-answer.ts';

const chat = (choices: unknown[], usage?: unknown) => JSON.stringify({ choices, usage });
const choice = (content: unknown, finish_reason: unknown = 'stop') => ({
  message: { role: 'assistant', content },
  finish_reason,
});
const usage = { prompt_tokens: 12, completion_tokens: 30 };

describe('reading an answer', () => {
  it('takes text, reason and usage of one choice', () => {
    expect(readAnswer(chat([choice('hi')], usage), 'chat', 100)).toEqual({
      kind: 'answered',
      texts: [{ text: 'hi', stop: 'stop', promptTokens: 12, outputTokens: 30 }],
    });
  });

  it('counts the choices that came, and takes no usage where it can belong to several', () => {
    const outcome = readAnswer(chat([choice('a'), choice('b', 'length'), choice('c')], usage), 'chat', 100);
    expect(outcome.kind === 'answered' && outcome.texts).toEqual([
      { text: 'a', stop: 'stop', promptTokens: 0, outputTokens: 0 },
      { text: 'b', stop: 'length', promptTokens: 0, outputTokens: 0 },
      { text: 'c', stop: 'stop', promptTokens: 0, outputTokens: 0 },
    ]);
  });

  it('sees the token limit although nothing says so', () => {
    const outcome = readAnswer(chat([choice('cut', null)], { completion_tokens: 30 }), 'chat', 30);
    expect(outcome.kind === 'answered' && outcome.texts[0]?.stop).toBe('length');
    const other = readAnswer(chat([choice('whole', null)], { completion_tokens: 29 }), 'chat', 30);
    expect(other.kind === 'answered' && other.texts[0]?.stop).toBe('unknown');
  });

  it('takes a message without content for an empty answer, and joins parts', () => {
    const outcome = readAnswer(
      chat([choice(null, 'length'), choice([{ type: 'text', text: 'a' }, { text: 'b' }])]),
      'chat',
      5,
    );
    expect(outcome.kind === 'answered' && outcome.texts.map(({ text }) => text)).toEqual(['', 'ab']);
  });

  it('leaves out what the endpoint gave up, and what holds no text', () => {
    const outcome = readAnswer(chat([choice('x', 'error'), { finish_reason: 'stop' }, 7, choice('y')]), 'chat', 5);
    expect(outcome.kind === 'answered' && outcome.texts.map(({ text }) => text)).toEqual(['y']);
  });

  it('reads completions', () => {
    const outcome = readAnswer(chat([{ text: '  return n', finish_reason: 'stop' }]), 'completion', 5);
    expect(outcome.kind === 'answered' && outcome.texts[0]?.text).toBe('  return n');
    expect(readAnswer(chat([choice('a chat answer')]), 'completion', 5).kind).toBe('broken');
  });

  it.each([
    '',
    'null',
    '[]',
    '<html>',
    '{"choices": 3}',
    '{"choices": []}',
    '{"error": "x"}',
    '{"choices": [{"message"',
  ])('calls %j broken', (body) => {
    expect(readAnswer(body, 'chat', 5).kind).toBe('broken');
  });

  it('never throws, whatever JSON came', () => {
    fc.assert(
      fc.property(fc.json(), fc.jsonValue(), (noise, choices) => {
        readAnswer(noise, 'chat', 5);
        readAnswer(JSON.stringify({ choices: [choices], usage: choices }), 'completion', 5);
        readAnswer(JSON.stringify({ choices: [{ message: choices }] }), 'chat', 5);
      }),
    );
  });
});
