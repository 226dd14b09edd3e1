import { afterEach, describe } from 'vitest';
import { describeAppending } from './contract/appending.ts';
import { describeConsuming } from './contract/consuming.ts';
import { describeGroups } from './contract/groups.ts';
import { describePressure } from './contract/pressure.ts';
import { describeReading } from './contract/reading.ts';
import { describeTopics } from './contract/topics.ts';
import { Harness, type LogVersion } from './harness.ts';

/** What every version of the event log has to do. Run on each of them. */
export function describeEventLog(name: string, version: LogVersion): void {
  describe(`the event log on ${name}`, () => {
    const harness = new Harness(version);
    afterEach(() => harness.close());
    describeAppending(harness);
    describeReading(harness);
    describeTopics(harness);
    describeConsuming(harness);
    describeGroups(harness);
    describePressure(harness);
  });
}
