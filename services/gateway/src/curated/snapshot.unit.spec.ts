import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { parquetFile } from './snapshot.ts';

const problem = (rank: number) => ({
  rank,
  problem_id: `p${rank}`,
  title: 'Ünïcode',
  statement: 'x'.repeat(rank % 7),
  languages: ['python'],
  public_tests: [{ name: '1', input: '1' }],
  bin: 'hard',
  version: 2,
  predicted: rank % 2 === 0,
  value: rank / 7,
  mean: 0.5,
  interval: { low: 0.1, high: 0.9 },
  attempts: 8,
  passes: 3,
});

async function* problems(count: number) {
  for (let rank = 1; rank <= count; rank++) yield problem(rank);
}

async function rowsOf(count: number): Promise<Record<string, unknown>[]> {
  const file = await parquetFile(problems(count));
  const bytes = await file.readFile();
  await file.close();
  return await parquetReadObjects({ file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) });
}

describe('a snapshot as Parquet', () => {
  it('holds every problem in its order, over several row groups', async () => {
    const rows = await rowsOf(1_203);
    expect(rows.map(({ rank }) => rank)).toEqual(Array.from({ length: 1_203 }, (_, index) => index + 1));
    expect(rows[6]).toMatchObject({ problem_id: 'p7', title: 'Ünïcode', value: 1, predicted: false, passes: 3 });
    expect(JSON.parse(String(rows[6]?.public_tests))).toEqual([{ name: '1', input: '1' }]);
  });

  it('is a file also without problems, and leaves none behind', async () => {
    expect(await rowsOf(0)).toEqual([]);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('tidemark-snapshot-'))).toEqual([]);
  });
});
