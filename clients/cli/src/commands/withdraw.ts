import type { Command } from 'commander';
import { type Run, UsageError } from '../context.ts';
import type { Json } from '../gateway-client.ts';

interface WithdrawOptions {
  readonly reason?: string;
  readonly allVersions?: boolean;
}

export function registerWithdraw(program: Command, run: Run): void {
  program
    .command('withdraw')
    .description('take a record back that you offered, or, as operator, take any problem out of the stream')
    .argument('<namespace-or-problem-id>', 'the source; or, alone, a problem id of 32 hexadecimal digits')
    .argument('[record-id]', "the source's own id of the record")
    .option('--reason <text>', 'why; of a problem id it is needed, and shown in the problem’s story')
    .option('--all-versions', 'of a problem id: also versions that are yet to come')
    .action((subject: string, recordId: string | undefined, options: WithdrawOptions) =>
      run(async ({ client, output }) => {
        const { path, body, said } =
          recordId === undefined ? ofProblem(subject, options) : ofRecord(subject, recordId, options);
        const answer = await client.json(path, { method: 'POST', body });
        if (output.json) await output.object(answer);
        else await output.line(said(answer));
        return undefined;
      }),
    );
  program
    .command('restore')
    .description('let a problem in again that an operator withdrew')
    .argument('<problem-id>', '32 hexadecimal digits')
    .action((problemId: string) =>
      run(async ({ client, output }) => {
        const answer = await client.json(`/v1/problems/${checked(problemId)}/restore`, { method: 'POST', body: {} });
        if (output.json) await output.object(answer);
        else await output.line(`Problem ${problemId} is let in again: tidemark explain ${problemId}`);
        return undefined;
      }),
    );
}

interface Order {
  readonly path: string;
  readonly body: object;
  readonly said: (answer: Json) => string;
}

/** A producer's: its own record, which it can offer again. */
function ofRecord(namespace: string, recordId: string, { reason, allVersions }: WithdrawOptions): Order {
  if (allVersions === true) throw new UsageError('--all-versions goes with a problem id alone');
  return {
    path: '/v1/problems/withdraw',
    body: { namespace, record_id: recordId, ...(reason !== undefined && { reason }) },
    said: ({ problem_id }) =>
      `The withdrawal of ${namespace} ${recordId} is on its way (problem ${String(problem_id)}).`,
  };
}

/** An operator's: whoever offered it. */
function ofProblem(problemId: string, { reason, allVersions = false }: WithdrawOptions): Order {
  const path = `/v1/problems/${checked(problemId)}/withdraw`;
  if (reason === undefined) throw new UsageError('say why: --reason "…"');
  return {
    path,
    body: { reason, all_versions: allVersions },
    said: ({ version }) => {
      const which = version === null ? 'with all versions, also those to come' : `up to version ${Number(version)}`;
      return `Problem ${problemId} is withdrawn ${which}; tidemark restore ${problemId} lets it in again.`;
    },
  };
}

function checked(problemId: string): string {
  if (/^[0-9a-f]{32}$/.test(problemId)) return problemId;
  const text = JSON.stringify(problemId);
  throw new UsageError(`${text} is no problem id: those have 32 hexadecimal digits; a record is named by two words`);
}
