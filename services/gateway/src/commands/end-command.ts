import type { CommandOutcome } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';

/** Writes down how a command ended that the gateway itself does. */
export async function endCommand(
  sql: Sql,
  commandId: string,
  outcome: CommandOutcome,
  message: string,
  results: Readonly<Record<string, string>>,
): Promise<void> {
  await sql.query(
    'UPDATE command SET outcome = $2, message = $3, results = $4, completed_at = now() WHERE command_id = $1',
    [commandId, outcome, message, JSON.stringify(results)],
  );
}
