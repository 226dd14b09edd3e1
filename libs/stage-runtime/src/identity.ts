import type { ServiceName } from '@tidemark/event-log';

/** Which replica of which service of which installation this is. */
export interface StageIdentity {
  readonly service: ServiceName;
  readonly environment: string;
  /** Unique per start. */
  readonly replica: string;
}
