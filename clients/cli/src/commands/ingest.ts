import { type Command, Option } from 'commander';
import type { CommandContext, Run } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { plural, show } from '../format/table.ts';
import { GatewayError } from '../gateway-client.ts';
import { fileErrorText } from '../file-errors.ts';
import { tellFailures } from '../tell-failures.ts';
import { type UploadQuery, uploadFile, type UploadResult } from '../upload-file.ts';
import { waitUntilQuiet } from './status.ts';

interface IngestOptions extends UploadQuery {
  readonly allowMissingTests?: boolean;
  readonly wait?: boolean;
}

export function registerIngest(program: Command, run: Run): void {
  const files = 'JSON Lines, also gzipped; - for standard input';
  program
    .command('ingest')
    .description('offer problems')
    .argument(
      '<file...>',
      `${files}; or problem packages (Kattis and ICPC, Polygon): a folder, zip, tar or tar.gz each`,
    )
    .option(
      '--format <name>',
      'tidemark.problem.v1, humaneval, mbpp, livecodebench, code_contests or nemo_gym; seen from the record where it is not named',
    )
    .option('--namespace <name>', "the source's name, where the records do not name it")
    .addOption(new Option('--origin <kind>', 'who made the problems').choices(['real', 'synthetic', 'unknown']))
    .option('--licence <expression>', 'where the records do not name it')
    .option('--allow-missing-tests', 'of a package: leave out tests that it names and does not hold')
    .option('--wait', 'until nothing is on its way any more; then say which did not come through, and why')
    .action((paths: string[], options: IngestOptions) =>
      run((context) => upload(context, '/v1/problems', paths, options, 'problem')),
    );
  program
    .command('rollouts')
    .description('report attempts of a model')
    .command('submit')
    .description('report groups of attempts')
    .argument('<file...>', files)
    .option('--wait', 'until nothing is on its way any more; then say which do not count, and why')
    .action((paths: string[], options: IngestOptions) =>
      run((context) => upload(context, '/v1/rollouts', paths, options, 'group')),
    );
}

/** Of a package that the gateway refused; what else goes wrong concerns every file. */
function refusalText(file: string, error: unknown): string | undefined {
  if (!(error instanceof GatewayError) || ![413, 422].includes(error.status)) return undefined;
  const faults = Array.isArray(error.problem.faults) ? (error.problem.faults as { where: string; why: string }[]) : [];
  return [`${file}: ${error.message}`, ...faults.map(({ where, why }) => `${show(where)} ${show(why)}`)].join(' ');
}

async function upload(
  context: CommandContext,
  path: '/v1/problems' | '/v1/rollouts',
  files: readonly string[],
  { wait, allowMissingTests, ...given }: IngestOptions,
  noun: string,
): Promise<ExitCode> {
  const { output } = context;
  const query: UploadQuery = { ...given, ...(allowMissingTests === true && { missing_tests: 'allow' }) };
  let accepted = 0;
  let failed = 0;
  const uploads: UploadResult[] = [];
  for (const file of files) {
    try {
      const result = await uploadFile(context, path, file, query);
      uploads.push(result);
      accepted += result.accepted;
      failed += result.refused;
      const refused = result.refused === 0 ? '' : `, ${result.refused} refused`;
      const repeated = result.repeated ? ' (sent before: nothing is counted twice)' : '';
      if (!output.json)
        await output.line(`${result.file}: ${plural(result.accepted, noun)} taken${refused}${repeated}`);
    } catch (error) {
      // One file that can't be read is no reason to leave the others.
      const why = fileErrorText(error) ?? refusalText(file, error);
      if (files.length === 1 || why === undefined) throw error;
      failed += 1;
      output.note(`tidemark: ${why}`);
    }
  }
  if (wait === true) {
    await waitUntilQuiet(context);
    for (const result of uploads) failed += await tellFailures(context, result);
  }
  if (failed === 0) return exitCodes.success;
  return accepted === 0 ? exitCodes.failure : exitCodes.partly;
}
