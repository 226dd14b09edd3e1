/** Points at which a crash leaves something half done; specs stop a service there. */
export type Moment = 'before-commit' | 'after-commit' | 'after-publish' | 'mid-job';

/** Told of each moment; throwing ends the work at hand. In production nobody listens. */
export type MomentListener = (moment: Moment, where: string) => void | Promise<void>;
