import type { Command } from 'commander';
import type { Run } from '../context.ts';
import { tableLines } from '../format/table.ts';

interface TopicListed {
  readonly topic: string;
  readonly partitions: readonly { readonly log_start: string; readonly log_end: string }[];
}

export function registerTopic(program: Command, run: Run): void {
  const topic = program.command('topic').description('the event log, for operators');
  topic
    .command('dump')
    .description('every record of a topic up to now, one JSON object a line')
    .argument('<topic>')
    .action((name: string) =>
      run(async ({ client, output }) => {
        for await (const record of client.lines(`/v1/topics/${encodeURIComponent(name)}`)) await output.object(record);
        return undefined;
      }),
    );
  topic
    .command('list')
    .description('topics and how much they hold')
    .action(() =>
      run(async ({ client, output }) => {
        const { topics } = (await client.json('/v1/topics')) as unknown as { topics: TopicListed[] };
        if (output.json) {
          for (const listed of topics) await output.object(listed);
          return undefined;
        }
        const rows = topics.map(({ topic: called, partitions }) => [
          called,
          String(partitions.length),
          partitions
            .map(({ log_start, log_end }) => BigInt(log_end) - BigInt(log_start))
            .reduce((a, b) => a + b, 0n)
            .toString(),
        ]);
        const columns = [
          { heading: 'topic' },
          { heading: 'partitions', align: 'right' as const },
          { heading: 'offsets', align: 'right' as const },
        ];
        for (const line of tableLines(columns, rows)) await output.line(line);
        return undefined;
      }),
    );
}
