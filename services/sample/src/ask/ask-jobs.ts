import type { JobKind } from '@tidemark/stage-runtime';

/** One group to be asked for; the payload is the request's id, under which everything else is kept. */
export const askJobs: JobKind<string> = {
  name: 'ask',
  encode: (requestId) => new TextEncoder().encode(requestId),
  decode: (bytes) => new TextDecoder().decode(bytes),
  leaseMs: 15_000,
};
