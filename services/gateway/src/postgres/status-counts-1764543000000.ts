import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Counters of what the status shows. Triggers write differences as rows of their own, so that handlers never wait for
 * each other; a timer adds the rows up now and then.
 */
export class StatusCounts1764543000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE problem_count (
        state text NOT NULL,
        stage text NOT NULL,
        reason text NOT NULL,
        held_out boolean NOT NULL,
        problems bigint NOT NULL
      );
      COMMENT ON TABLE problem_count IS 'The sum over rows is the number of problems; single rows are differences';
      INSERT INTO problem_count
        SELECT state, stage, reason, held_out, count(*) FROM problem GROUP BY state, stage, reason, held_out;

      CREATE TABLE upload_count (
        kind text NOT NULL,
        uploads bigint NOT NULL,
        accepted bigint NOT NULL,
        refused bigint NOT NULL
      );
      COMMENT ON TABLE upload_count IS 'The sum over rows is the number of uploads; single rows are differences';
      INSERT INTO upload_count SELECT kind, count(*), sum(accepted), sum(refused) FROM upload GROUP BY kind;

      ALTER TABLE target_count ADD COLUMN moves bigint NOT NULL DEFAULT 0;
      INSERT INTO target_count (target, groups, attempts, passes, environment_failures, moves)
        SELECT target, 0, 0, 0, 0, count(*) FROM bin_move GROUP BY target
        ON CONFLICT (target) DO UPDATE SET moves = excluded.moves;

      ALTER TABLE graded_group DROP CONSTRAINT graded_group_pkey,
        ADD PRIMARY KEY (target, problem_id, group_id, submitter, suite_hash);
    `);
    await countByTrigger(runner, {
      table: 'problem',
      counts: 'problem_count',
      by: ['state', 'stage', 'reason', 'held_out'],
      sums: { problems: '1' },
    });
    await countByTrigger(runner, {
      table: 'upload',
      counts: 'upload_count',
      by: ['kind'],
      sums: { uploads: '1', accepted: 'accepted', refused: 'refused' },
    });
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward: expand, then contract');
  }
}

interface Counter {
  readonly table: string;
  readonly counts: string;
  readonly by: readonly string[];
  /** What each column adds up, as an expression over a row. */
  readonly sums: Readonly<Record<string, string>>;
}

/** Once a statement: what its rows were is taken away, what they are is added. */
async function countByTrigger(runner: QueryRunner, { table, counts, by, sums }: Counter): Promise<void> {
  const names = Object.keys(sums);
  const differences = (rows: string, sign: '' | '-') =>
    `SELECT ${[...by, ...names.map((name) => `${sign}(${sums[name]})::bigint AS ${name}`)].join(', ')} FROM ${rows}`;
  const add = (source: string) => `
    INSERT INTO ${counts} (${[...by, ...names].join(', ')})
      SELECT ${[...by, ...names.map((name) => `sum(${name})`)].join(', ')} FROM (${source}) AS d
      GROUP BY ${by.join(', ')} HAVING ${names.map((name) => `sum(${name}) <> 0`).join(' OR ')};
    RETURN NULL;`;
  const on = async (event: string, referencing: string, source: string) => {
    const name = `${counts}_on_${event.toLowerCase()}`;
    await runner.query(`CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${add(source)} END $$`);
    await runner.query(
      `CREATE TRIGGER ${name} AFTER ${event} ON ${table} REFERENCING ${referencing}
       FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`,
    );
  };
  const [before, after] = [differences('rows_before', '-'), differences('rows_after', '')];
  await on('INSERT', 'NEW TABLE AS rows_after', after);
  await on('DELETE', 'OLD TABLE AS rows_before', before);
  await on('UPDATE', 'OLD TABLE AS rows_before NEW TABLE AS rows_after', `${before} UNION ALL ${after}`);
}
