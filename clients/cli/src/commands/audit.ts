import type { Command } from 'commander';
import type { Run } from '../context.ts';
import { show, tableLines } from '../format/table.ts';
import type { Json } from '../gateway-client.ts';
import { wholeNumber } from '../numbers.ts';

export function registerAudit(program: Command, run: Run): void {
  program
    .command('audit')
    .description('who ordered what, and how it ended, newest first')
    .option('--limit <number>', 'entries wanted', wholeNumber, 50)
    .action(({ limit }: { limit: number }) =>
      run(async ({ client, output }) => {
        const { entries } = (await client.json('/v1/audit', { query: { limit } })) as { entries: Json[] };
        if (output.json) {
          for (const entry of entries) await output.object(entry);
          return undefined;
        }
        const rows = entries.map(({ requested_at, who, action, subject, result }) => [
          show(requested_at),
          show(who),
          show(action),
          Object.values(subject as Json)
            .map(show)
            .join(' '),
          result === null ? 'in hand' : show(result),
        ]);
        const headings = ['when', 'who', 'what', 'of', 'result'];
        for (const line of tableLines(
          headings.map((heading) => ({ heading })),
          rows,
        ))
          await output.line(line);
        return undefined;
      }),
    );
}
