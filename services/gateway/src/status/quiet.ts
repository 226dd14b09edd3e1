import { Injectable } from '@nestjs/common';
import { ServiceDirectory, type ServiceReport } from './service-directory.ts';

export interface QuietLook {
  readonly quiet: boolean;
  /** How far all services have come; undefined while something is on its way. The same text again: nothing moved. */
  readonly settledAt: string | undefined;
  readonly services: readonly ServiceReport[];
}

/**
 * Whether anything is still on its way. One look at several services is not one moment: an event may have left the first
 * before it was looked at and not have reached the second yet. So there are two looks, both quiet, and no service made
 * progress between them: what was on its way would have been seen by the second look, or would have moved.
 */
@Injectable()
export class Quiet {
  constructor(private readonly directory: ServiceDirectory) {}

  async look(): Promise<QuietLook> {
    const first = await this.directory.ask();
    if (!allQuiet(first)) return { quiet: false, settledAt: undefined, services: first };
    const second = await this.directory.ask();
    const progress = progressOf(second);
    const quiet = allQuiet(second) && progressOf(first) === progress;
    return { quiet, settledAt: quiet ? progress : undefined, services: second };
  }
}

const allQuiet = (reports: readonly ServiceReport[]): boolean =>
  reports.every((report) => report.reachable && report.quiet);

/** How far each service has come, as one text to compare. */
const progressOf = (reports: readonly ServiceReport[]): string =>
  reports.map((report) => `${report.service}:${report.reachable ? report.activity.progress : ''}`).join(' ');
