import { notFound } from '../http/http-problem.ts';

/** Where a letter lies: its name for people and programs is `<dead-letter topic>:<partition>:<offset>`. */
export interface LetterPlace {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
}

export const letterId = ({ topic, partition, offset }: LetterPlace): string => `${topic}:${partition}:${offset}`;

/** @throws HttpProblem 404 for what names no letter */
export function letterPlace(id: string): LetterPlace {
  const [, topic, partition, offset] = /^([a-z0-9.-]+\.dlq\.v1):(\d{1,9}):(\d{1,18})$/.exec(id) ?? [];
  if (topic === undefined || partition === undefined || offset === undefined) {
    throw notFound('dead letter', id, 'GET /v1/dead-letters lists them.');
  }
  return { topic, partition: Number(partition), offset: BigInt(offset) };
}
