import type { Command } from 'commander';
import type { Run } from '../context.ts';

export function registerWithdraw(program: Command, run: Run): void {
  program
    .command('withdraw')
    .description('take a record back that you offered; ingest it again to undo that')
    .argument('<namespace>', 'the source')
    .argument('<record-id>', "the source's own id of the record")
    .option('--reason <text>', 'why')
    .action((namespace: string, recordId: string, { reason }: { reason?: string }) =>
      run(async ({ client, output }) => {
        const body = { namespace, record_id: recordId, ...(reason !== undefined && { reason }) };
        const answer = await client.json('/v1/problems/withdraw', { method: 'POST', body });
        if (output.json) await output.object(answer);
        else
          await output.line(
            `The withdrawal of ${namespace} ${recordId} is on its way (problem ${String(answer.problem_id)}).`,
          );
        return undefined;
      }),
    );
}
