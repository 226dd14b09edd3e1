import type { TopicDescription } from '@tidemark/event-log';
import { z } from 'zod';

/** How far somebody has followed a topic. */
export interface Position {
  readonly incarnation: string;
  /** Next offset of each partition. */
  readonly next: readonly bigint[];
  /** When it was given out, in ms since 1970. */
  readonly givenMs: number;
}

/** Where to begin: on from a position, or from nothing, and why. */
export type Beginning =
  | { readonly kind: 'resumed'; readonly next: readonly bigint[] }
  | { readonly kind: 'restarted'; readonly reason: string; readonly next: readonly bigint[] };

const schema = z.object({
  i: z.string(),
  n: z.array(z.string().regex(/^\d{1,19}$/)),
  t: z.number(),
});

/** What a client is given: it means nothing to it. */
export function positionText({ incarnation, next, givenMs }: Position): string {
  return Buffer.from(JSON.stringify({ i: incarnation, n: next.map(String), t: givenMs })).toString('base64url');
}

export function readPosition(text: string): Position | undefined {
  try {
    const parsed = schema.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
    if (!parsed.success) return undefined;
    const { i, n, t } = parsed.data;
    return { incarnation: i, next: n.map(BigInt), givenMs: t };
  } catch {
    return undefined;
  }
}

/**
 * Tombstones go after a while: who was away for longer would keep what has left, and has to begin from nothing. So has
 * who comes from another life of the topic, or from where the log no longer begins or does not reach.
 *
 * @param keptMs how long tombstones are kept
 */
export function decideBeginning(
  text: string,
  { incarnation, partitions }: Pick<TopicDescription, 'incarnation' | 'partitions'>,
  nowMs: number,
  keptMs: number,
): Beginning {
  const restarted = (reason: string): Beginning => ({
    kind: 'restarted',
    reason,
    next: partitions.map(({ logStart }) => logStart),
  });
  if (text === '') return restarted('You begin here.');
  const position = readPosition(text);
  if (position === undefined) return restarted('The position was not given out here.');
  const { next, givenMs } = position;
  if (position.incarnation !== incarnation || next.length !== partitions.length) {
    return restarted('The working set was made anew since.');
  }
  if (nowMs - givenMs > keptMs) return restarted('You were away for longer than is remembered of what has left.');
  const within = partitions.every(({ logStart, logEnd }, at) => {
    const offset = next[at] ?? -1n;
    return offset >= logStart && offset <= logEnd;
  });
  return within ? { kind: 'resumed', next } : restarted('The position lies outside of what is kept.');
}
