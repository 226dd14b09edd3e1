/** Before the name of a submitter for whom nobody vouches: whoever writes to the log themselves may call themselves anything. */
export const UNVERIFIED = 'unverified:';

/** Whose bound a submitter counts against: new names must not be new room, so that all whom nobody vouches for share one. */
export const boundOwner = (submitter: string): string => (submitter.startsWith(UNVERIFIED) ? UNVERIFIED : submitter);
