import type { Command } from 'commander';
import type { Run } from '../context.ts';
import { targetSlug, wholeNumber } from '../numbers.ts';
import { plural, tableLines } from '../format/table.ts';
import type { Json } from '../gateway-client.ts';
import { curatedColumns, curatedRow } from '../format/curated-row.ts';

export function registerBatch(program: Command, run: Run): void {
  program
    .command('batch')
    .description('lease the problems that are worth most to a target now')
    .argument('<target>', 'its slug', targetSlug)
    .option('--count <number>', 'problems wanted', wholeNumber, 64)
    .option('--lease-seconds <number>', 'how long they are held (default: 600)', wholeNumber)
    .action((target: string, { count, leaseSeconds }: { count: number; leaseSeconds?: number }) =>
      run(async ({ client, output }) => {
        const path = `/v1/targets/${encodeURIComponent(target)}/batches`;
        const body = { count, ...(leaseSeconds !== undefined && { lease_seconds: leaseSeconds }) };
        const batch = await client.json(path, { method: 'POST', body });
        const { problems, ...head } = batch as { problems: Json[] } & Json;
        if (output.json) {
          for (const problem of problems)
            await output.object({ batch: head.batch, expires_at: head.expires_at, ...problem });
          return undefined;
        }
        const until = new Date(String(head.expires_at)).toLocaleTimeString('en-GB');
        await output.line(
          `${target}: batch ${String(head.batch)}, ${plural(problems.length, 'problem')} of ${String(head.working_set)}, held until ${until}`,
        );
        const rows = problems.map((problem, index) => [
          ...curatedRow({ rank: index + 1, ...problem }),
          String(problem.lease_id),
        ]);
        const lines = tableLines([...curatedColumns, { heading: 'lease' }], rows);
        for (const line of lines) await output.line(line);
        return undefined;
      }),
    );
  program
    .command('lease')
    .description('leases of a batch')
    .command('return')
    .description('give leases back unused')
    .argument('<target>', 'its slug', targetSlug)
    .argument('<lease...>')
    .action((target: string, leases: string[]) =>
      run(async ({ client, output }) => {
        const path = `/v1/targets/${encodeURIComponent(target)}/leases/return`;
        const answer = await client.json(path, { method: 'POST', body: { lease_ids: leases } });
        if (output.json) await output.object(answer);
        else await output.line(`${target}: ${plural(Number(answer.returned), 'lease')} returned`);
        return undefined;
      }),
    );
}
