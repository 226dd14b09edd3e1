import { type Command, InvalidArgumentError } from 'commander';
import type { Run } from '../context.ts';
import { show, tableLines } from '../format/table.ts';
import type { Json } from '../gateway-client.ts';
import { targetSlug, wholeNumber } from '../numbers.ts';

const ROLES = ['producer', 'trainer', 'reviewer', 'operator'];

interface CreateOptions {
  readonly role: readonly string[];
  readonly target: readonly string[];
  readonly trustedToGrade?: true;
  readonly expiresDays?: number;
}

export function registerToken(program: Command, run: Run): void {
  const token = program.command('token').description('access tokens: who may do what');
  token
    .command('create')
    .description('make a token, which is shown this once')
    .argument('<name>', 'under which its bearer is written down: letters, digits and _ . @ -')
    .requiredOption('--role <role>', `what it is for: ${ROLES.join(', ')}; may be given again`, collectRole, [])
    .option('--target <slug>', 'a target that a trainer may work with; may be given again', collectTarget, [])
    .option('--trusted-to-grade', "whether the trainer's own verdicts count")
    .option('--expires-days <days>', 'when it ends by itself (default: never)', wholeNumber)
    .action((name: string, { role, target, trustedToGrade, expiresDays }: CreateOptions) =>
      run(async ({ client, output }) => {
        const body = {
          name,
          roles: role,
          targets: target,
          ...(trustedToGrade && { trusted_to_grade: true }),
          ...(expiresDays !== undefined && { expires_days: expiresDays }),
        };
        const made = await client.json('/v1/tokens', { method: 'POST', body });
        if (output.json) {
          await output.object(made);
          return undefined;
        }
        // The token alone on stdout: TIDEMARK_ACCESS_TOKEN=$(tidemark token create …).
        output.note(`token ${show(made.token_id)} for ${name}: ${role.join(', ')}. It is not shown again.`);
        await output.line(show(made.token));
        return undefined;
      }),
    );
  token
    .command('list')
    .description('tokens, newest first, those that ended too')
    .action(() =>
      run(async ({ client, output }) => {
        const { tokens } = (await client.json('/v1/tokens')) as { tokens: Json[] };
        if (output.json) {
          for (const one of tokens) await output.object(one);
          return undefined;
        }
        const columns = ['token', 'name', 'state', 'for', 'targets', 'made', 'last used'];
        const rows = tokens.map((one) => [
          show(one.token_id),
          show(one.name),
          show(one.state),
          `${(one.roles as string[]).join(', ')}${one.trusted_to_grade === true ? ', trusted to grade' : ''}`,
          (one.targets as string[]).join(', '),
          day(one.created_at),
          day(one.last_used_at),
        ]);
        for (const line of tableLines(
          columns.map((heading) => ({ heading })),
          rows,
        ))
          await output.line(line);
        if (tokens.length === 0) await output.line('There is no token yet: tidemark token create.');
        return undefined;
      }),
    );
  token
    .command('revoke')
    .description('let nobody in by a token any more')
    .argument('<token>', 'its id, as "token list" shows it')
    .action((id: string) =>
      run(async ({ client, output }) => {
        const revoked = await client.json(`/v1/tokens/${encodeURIComponent(id)}`, { method: 'DELETE' });
        if (output.json) await output.object(revoked);
        else await output.line(`token ${show(revoked.token_id)} of ${show(revoked.name)} lets nobody in any more`);
        return undefined;
      }),
    );
}

const day = (time: unknown): string => (typeof time === 'string' ? time.slice(0, 10) : '');

function collectRole(role: string, before: readonly string[]): readonly string[] {
  if (!ROLES.includes(role)) throw new InvalidArgumentError(`It is one of ${ROLES.join(', ')}.`);
  return [...before, role];
}

const collectTarget = (slug: string, before: readonly string[]): readonly string[] => [...before, targetSlug(slug)];
