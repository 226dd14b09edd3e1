import { Injectable } from '@nestjs/common';
import type { EventLog } from '@tidemark/event-log';
import { InjectEventLog } from '@tidemark/stage-runtime';
import { ServiceDirectory, type ServiceReport } from './service-directory.ts';

const BETWEEN_LOOKS_MS = 100;

export interface QuietLook {
  readonly quiet: boolean;
  readonly services: readonly ServiceReport[];
}

/**
 * Whether anything is still on its way. One look at several services is not one moment: an event may have left the first
 * before it was looked at and not have reached the second yet. So there are two looks, and the log must not have grown
 * from before the first until after the second: what was on its way would have been seen, or would have moved.
 */
@Injectable()
export class Quiet {
  constructor(
    private readonly directory: ServiceDirectory,
    @InjectEventLog() private readonly log: EventLog,
  ) {}

  async look(): Promise<QuietLook> {
    const first = await this.directory.ask();
    if (!allQuiet(first)) return { quiet: false, services: first };
    const before = await this.logEnds();
    const second = await this.directory.ask();
    if (!allQuiet(second)) return { quiet: false, services: second };
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_LOOKS_MS));
    const third = await this.directory.ask();
    return { quiet: allQuiet(third) && before === (await this.logEnds()), services: third };
  }

  /** The ends of all partitions of all topics, as one text to compare. */
  private async logEnds(): Promise<string> {
    const ends: string[] = [];
    for (const name of [...(await this.log.admin.list())].sort()) {
      const description = await this.log.admin.describe(name);
      const partitions = description?.partitions.map(({ logEnd }) => String(logEnd)) ?? [];
      ends.push(`${name}:${description?.incarnation}:${partitions.join(',')}`);
    }
    return ends.join(' ');
  }
}

const allQuiet = (reports: readonly ServiceReport[]): boolean =>
  reports.every((report) => report.reachable && report.quiet);
