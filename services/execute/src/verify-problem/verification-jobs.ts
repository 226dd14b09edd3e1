import type { Cause, JobKind, NewJob } from '@tidemark/stage-runtime';

/** Which version to verify; what there is to run is read from the problem's row. */
export type Verification = { readonly problemId: string; readonly version: number };

/** References of a problem run against its tests. */
export const verificationJobs: JobKind<Verification> = {
  name: 'verify',
  encode: ({ problemId, version }) => new TextEncoder().encode(`${version} ${problemId}`),
  decode: (bytes) => {
    const [version = '', problemId = ''] = new TextDecoder().decode(bytes).split(' ');
    return { problemId, version: Number(version) };
  },
  leaseMs: 60_000,
};

export function verificationJob(cause: Cause, problemId: string, version: number): NewJob<Verification> {
  return { key: `${problemId}:${version}`, payload: { problemId, version }, cause };
}
