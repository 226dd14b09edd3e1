import { startPostgres } from '@tidemark/testing-servers';
import { DataSource, EntitySchema, type QueryRunner } from 'typeorm';
import { type Bench, round, spreadOf } from './bench.ts';

const ROUNDS = 9;
const ROWS = 5_000;
const NARROW = ['id', 'version', 'body'] as const;
/** A row of calibrate's buckets: what a group of attempts adds to. */
const WIDE = [
  'id',
  ...Array.from({ length: 5 }, (_, i) => `name_${i}`),
  ...Array.from({ length: 6 }, (_, i) => `n_${i}`),
];

/** What the rule "all SQL is set-based, by unnest" buys beside the library that is there anyway. */
export const bench: Bench = {
  asks:
    `How much faster is an upsert of ${ROWS} rows by unnest than TypeORM's upsert of the same rows, in a transaction each, ` +
    `for rows of ${NARROW.length} and of ${WIDE.length} columns, half of which are there already?`,
  async measure() {
    const postgres = await startPostgres();
    const [narrow, wide] = [entityOf('narrow', NARROW), entityOf('wide', WIDE)];
    const source = new DataSource({ type: 'postgres', url: postgres.url, entities: [narrow, wide], synchronize: true });
    await source.initialize();
    try {
      const ofNarrow = await compare(source, narrow, NARROW);
      const ofWide = await compare(source, wide, WIDE);
      return {
        ratioNarrow: spreadOf(ofNarrow.ratios),
        ratioWide: spreadOf(ofWide.ratios),
        narrowUnnestRowsPerSecond: spreadOf(ofNarrow.unnest),
        narrowTypeormRowsPerSecond: spreadOf(ofNarrow.typeorm),
        wideUnnestRowsPerSecond: spreadOf(ofWide.unnest),
        wideTypeormRowsPerSecond: spreadOf(ofWide.typeorm),
        rows: round(ROWS),
        server: 'PostgreSQL with fsync off, as the tests run it, loopback',
      };
    } finally {
      await source.destroy();
      await postgres.stop();
    }
  },
};

type Row = Record<string, string | number>;

const isText = (column: string): boolean => !/^(version|n_\d+)$/.test(column);

const entityOf = (name: string, columns: readonly string[]) =>
  new EntitySchema<Row>({
    name,
    columns: Object.fromEntries(
      columns.map((column) => [column, { type: isText(column) ? 'text' : 'integer', primary: column === 'id' }]),
    ),
  });

const rowsOf = (columns: readonly string[], turn: number): Row[] =>
  Array.from({ length: ROWS }, (_, index) =>
    Object.fromEntries(
      columns.map((column) => [column, column === 'id' ? `problem-${index}` : isText(column) ? 'x'.repeat(40) : turn]),
    ),
  );

async function compare(source: DataSource, entity: EntitySchema<Row>, columns: readonly string[]) {
  const { name } = entity.options;
  const [unnest, typeorm, ratios]: [number[], number[], number[]] = [[], [], []];
  const half = async (rows: readonly Row[]) => {
    await source.query(`TRUNCATE ${name}`);
    await inTransaction(source, (runner) => byUnnest(runner, name, columns, rows.slice(0, ROWS / 2)));
  };
  // Taking turns, so that a busy neighbour slows both. The first turn warms up.
  for (let turn = 0; turn <= ROUNDS; turn += 1) {
    const rows = rowsOf(columns, turn);
    await half(rows);
    const ours = await inTransaction(source, (runner) => byUnnest(runner, name, columns, rows));
    await half(rows);
    const theirs = await inTransaction(source, (runner) => byTypeorm(runner, entity, columns, rows));
    if (turn === 0) continue;
    unnest.push(ROWS / ours);
    typeorm.push(ROWS / theirs);
    ratios.push(theirs / ours);
  }
  return { unnest, typeorm, ratios };
}

async function byUnnest(
  runner: QueryRunner,
  name: string,
  columns: readonly string[],
  rows: readonly Row[],
): Promise<void> {
  const arrays = columns.map((column, index) => `$${index + 1}::${isText(column) ? 'text' : 'int'}[]`);
  const sets = columns.filter((column) => column !== 'id').map((column) => `${column} = excluded.${column}`);
  await runner.query(
    `INSERT INTO ${name} (${columns.join()}) SELECT * FROM unnest(${arrays.join()})
     ON CONFLICT (id) DO UPDATE SET ${sets.join()}`,
    columns.map((column) => rows.map((row) => row[column])),
  );
}

/** A statement has 65,535 parameters at most: TypeORM is given as many rows at once as that holds. */
async function byTypeorm(
  runner: QueryRunner,
  entity: EntitySchema<Row>,
  columns: readonly string[],
  rows: readonly Row[],
): Promise<void> {
  const atOnce = Math.floor(65_535 / columns.length);
  const repository = runner.manager.getRepository(entity);
  for (let from = 0; from < rows.length; from += atOnce) {
    await repository.upsert(rows.slice(from, from + atOnce), ['id']);
  }
}

/** @returns seconds */
async function inTransaction(source: DataSource, work: (runner: QueryRunner) => Promise<void>): Promise<number> {
  const runner = source.createQueryRunner();
  try {
    const began = performance.now();
    await runner.startTransaction();
    await work(runner);
    await runner.commitTransaction();
    return (performance.now() - began) / 1_000;
  } finally {
    await runner.release();
  }
}
