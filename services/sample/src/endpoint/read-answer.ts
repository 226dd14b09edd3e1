import type { AnswerShape } from '../prompt/render-prompt.ts';
import type { CallOutcome, SampledText } from './model-endpoint.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads what an endpoint answered with status 200, believing as little as possible: choices are counted, not taken from
 * `n`; usage is taken only where it can belong to the one text that came; a token limit that was reached counts as
 * `length` although nothing says so.
 *
 * @param maxTokens the limit that was asked for, 0 when none was
 */
export function readAnswer(body: string, shape: AnswerShape, maxTokens: number): CallOutcome {
  const answer = parsed(body);
  if (answer === undefined) return { kind: 'broken', why: 'not a JSON object' };
  if (!Array.isArray(answer.choices)) return { kind: 'broken', why: 'no choices' };
  const choices = (answer.choices as unknown[]).filter(isFields);
  const usage = choices.length === 1 && isFields(answer.usage) ? answer.usage : {};
  const texts = choices.flatMap((choice) => textOf(choice, shape, usage, maxTokens));
  return texts.length > 0 ? { kind: 'answered', texts } : { kind: 'broken', why: 'no choice holds a text' };
}

/** Reasons that say that the endpoint gave up, not the model. */
const NOT_THE_MODEL = new Set(['error', 'abort', 'aborted', 'cancelled']);
const AT_THE_LIMIT = new Set(['length', 'max_tokens', 'model_length']);

function textOf(choice: Fields, shape: AnswerShape, usage: Fields, maxTokens: number): readonly SampledText[] {
  const reason = typeof choice.finish_reason === 'string' ? choice.finish_reason : '';
  const text = shape === 'chat' ? messageText(choice.message) : choice.text;
  if (typeof text !== 'string' || NOT_THE_MODEL.has(reason)) return [];
  const outputTokens = countOf(usage.completion_tokens);
  const reachedLimit = reason === '' && maxTokens > 0 && outputTokens >= maxTokens;
  return [
    {
      text,
      stop: AT_THE_LIMIT.has(reason) || reachedLimit ? 'length' : reason === '' ? 'unknown' : 'stop',
      promptTokens: countOf(usage.prompt_tokens),
      outputTokens,
    },
  ];
}

/** A message's text: a string, or parts of which some are text. A message without content is an empty answer. */
function messageText(message: unknown): string | undefined {
  if (!isFields(message)) return undefined;
  const { content } = message;
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) {
    return (content as unknown[])
      .filter(isFields)
      .map((part) => (typeof part.text === 'string' ? part.text : ''))
      .join('');
  }
  return content === null || content === undefined ? '' : undefined;
}

function parsed(body: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const MAX_COUNT = 2 ** 31 - 1;
const countOf = (value: unknown): number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= MAX_COUNT ? value : 0;
