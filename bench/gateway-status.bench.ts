import { startPostgres } from '@tidemark/testing-servers';
import { DataSource } from 'typeorm';
import { migrations } from '../services/gateway/src/postgres/migrations.ts';
import { countStates, countTargets } from '../services/gateway/src/status/funnel.ts';
import { type Bench, round, spreadOf } from './bench.ts';

const ROUNDS = 7;
const PROBLEMS = 100_000;
const TARGETS = 3;
const CURATED = 20_000;
const MEASURED = 60_000;

/** What a look at the status costs, which live views take twice a second each. */
export const bench: Bench = {
  asks:
    `With ${PROBLEMS} problems, and ${CURATED} curated and ${MEASURED} measured ones for each of ${TARGETS} targets: how long ` +
    'does the status take to count states by its counters, by a scan instead, and to count the placements of all targets ' +
    '(which is done for at most a tenth of the time)?',
  async measure() {
    const postgres = await startPostgres();
    const source = new DataSource({ type: 'postgres', url: postgres.url, migrations: [...migrations] });
    await source.initialize();
    try {
      await source.runMigrations();
      await fill(source);
      const sql = {
        query: <Row>(text: string, parameters: readonly unknown[] = []) => source.query<Row[]>(text, [...parameters]),
      };
      const states: number[] = [];
      const scans: number[] = [];
      const placements: number[] = [];
      for (let i = 0; i < ROUNDS; i++) {
        states.push(await milliseconds(() => countStates(sql)));
        scans.push(await milliseconds(() => sql.query(SCAN)));
        placements.push(await milliseconds(() => countTargets(sql)));
      }
      return {
        statesMs: spreadOf(states),
        statesByScanMs: spreadOf(scans),
        placementsMs: spreadOf(placements),
        problems: round(PROBLEMS),
      };
    } finally {
      await source.destroy();
      await postgres.stop();
    }
  },
};

const SCAN = `SELECT state, stage, reason, held_out, count(*) FROM problem GROUP BY state, stage, reason, held_out`;

async function fill(source: DataSource): Promise<void> {
  await source.query(
    `INSERT INTO problem (problem_id, state, stage, reason, held_out)
     SELECT md5(n::text), CASE WHEN n % 10 < 7 THEN 'ready' WHEN n % 10 < 9 THEN 'rejected' ELSE 'waiting' END,
       'execute', 'reason ' || n % 20, n % 10 = 6 FROM generate_series(1, $1::int) AS n`,
    [PROBLEMS],
  );
  for (let t = 0; t < TARGETS; t++) {
    const target = `target-${t}`;
    await source.query('INSERT INTO target (target, version) VALUES ($1, 1)', [target]);
    await source.query(
      `INSERT INTO curated SELECT $1::text, md5(n::text), 1, 2 + n % 3, n % 2 = 0, false, 1, '' FROM generate_series(1, $2::int) AS n`,
      [target, CURATED],
    );
    await source.query(
      `INSERT INTO difficulty SELECT $1::text, md5(n::text), 1, 1, '', 1, 1, .5, NULL, 8, 4, 0, 0, 1 + n % 5, 0, '', '{}', 1, 1, ''
       FROM generate_series(1, $2::int) AS n`,
      [target, MEASURED],
    );
  }
  await source.query('VACUUM ANALYZE');
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
