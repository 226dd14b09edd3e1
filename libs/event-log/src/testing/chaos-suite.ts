import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startPostgres, type TestPostgres } from '@tidemark/testing-servers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EventLog } from '../port.ts';
import { type ChaosTask, chaosTables } from './chaos/task.ts';
import { seeded } from './chaos/random.ts';
import { unique, until } from './harness.ts';

export interface ChaosVersion {
  open(databaseUrl: string): Promise<EventLog>;
  /** Kafka's brokers; without them the embedded log. */
  readonly brokers?: readonly string[];
  readonly sessionTimeoutMs: number;
}

const partitions = 4;
const events = 3_000;
const keys = 37;
/** The same blows every time; `CHAOS_SEED` tries others. */
const seed = Number(process.env['CHAOS_SEED'] ?? 20_261_130);

/** Processes that are killed, stopped and cut off while they publish and consume: nothing is lost, nothing doubled. */
export function describeChaos(name: string, version: ChaosVersion): void {
  describe(`${name} under blows`, () => {
    let postgres: TestPostgres;
    let pool: pg.Pool;
    const children = new Set<ChildProcess>();

    beforeEach(async () => {
      postgres = await startPostgres();
      pool = new pg.Pool({ connectionString: postgres.url, max: 3 });
      pool.on('error', () => undefined);
      await pool.query(chaosTables);
    });
    afterEach(async () => {
      for (const child of children) child.kill('SIGKILL');
      await pool.end();
      await postgres.stop();
    });

    const start = (task: ChaosTask): ChildProcess => {
      const script = fileURLToPath(new URL('./chaos/process.ts', import.meta.url));
      const flags = ['--conditions=@tidemark/source', '--import', '@swc-node/register/esm-register', '--no-warnings'];
      const child = spawn(process.execPath, [...flags, script, JSON.stringify(task)], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      child.stderr?.on('data', (said: Buffer) => output.push(said.toString()));
      children.add(child);
      child.once('exit', () => children.delete(child));
      return child;
    };
    const output: string[] = [];

    const count = async (sql: string): Promise<number> => Number((await pool.query<{ n: string }>(sql)).rows[0]?.n);

    /** A topic, what the processes are told, and a way to put the next events into the outbox. */
    const prepare = async () => {
      const log = await version.open(postgres.url);
      const topic = `chaos.${unique()}.v1`;
      await log.admin.ensureTopics([
        { name: topic, partitions, cleanup: 'delete', retentionMs: 3_600_000, logAppendTime: false },
      ]);
      const task = {
        databaseUrl: postgres.url,
        ...(version.brokers ? { brokers: version.brokers } : {}),
        topic,
        group: unique(),
        writer: unique(),
        sessionTimeoutMs: version.sessionTimeoutMs,
      };
      let written = 0;
      const write = async (size: number) => {
        await pool.query("INSERT INTO outbox SELECT i, 'k' || (i % $3) FROM generate_series($1::int, $2::int) AS i", [
          written,
          written + size - 1,
          keys,
        ]);
        written += size;
        return written;
      };
      return { log, task, write };
    };

    test('a member that dies or hangs is replaced when its lease is over', { timeout: 240_000 }, async () => {
      const { log, task, write } = await prepare();
      start({ ...task, role: 'relay' });
      const members = [start({ ...task, role: 'consumer' }), start({ ...task, role: 'consumer' })];
      const applied = () => count('SELECT count(*) AS n FROM applied');
      const workers = (from: number) => count(`SELECT count(DISTINCT process) AS n FROM applied WHERE id >= ${from}`);
      const bothAtWork = async (from: number) => {
        let written = from;
        await until(
          'both members work',
          async () => {
            written = await write(20);
            await new Promise((resolve) => setTimeout(resolve, 300));
            return (await workers(from)) === 2;
          },
          90_000,
        );
        await until('all is applied', async () => (await applied()) === written);
        return written;
      };
      const takenOver = async (from: number) => {
        const written = await write(100);
        await until('the other has taken over', async () => (await applied()) === written, 60_000);
        expect(await workers(from)).toBe(1);
        return written;
      };
      let written = await bothAtWork(0);
      members[0]?.kill('SIGKILL');
      written = await takenOver(written);
      members[0] = start({ ...task, role: 'consumer' });
      written = await bothAtWork(written);
      members[1]?.kill('SIGSTOP');
      written = await takenOver(written);
      members[1]?.kill('SIGCONT');
      await bothAtWork(written);
      await log.close();
    });

    test('loses nothing and doubles nothing', { timeout: 240_000 }, async () => {
      const random = seeded(seed);
      const { log, task, write } = await prepare();
      const { topic } = task;
      const roles = ['relay', 'relay', 'consumer', 'consumer'] as const;
      const running = roles.map((role) => start({ ...task, role }));

      let written = await write(100);
      const applied = async () => (await count('SELECT count(*) AS n FROM applied')) > 0;
      await until('the first events are through', applied, 60_000);

      for (let blow = 0; written < events || blow < 12; blow += 1) {
        if (written < events) written = await write(100);
        if (written < events) written = await write(100);
        const victim = Math.floor(random() * roles.length);
        const role = roles[victim] ?? 'relay';
        const child = running[victim];
        const kind = Math.floor(random() * 3);
        await new Promise((resolve) => setTimeout(resolve, 200 + random() * 800));
        if (kind === 0) {
          child?.kill('SIGKILL');
          running[victim] = start({ ...task, role });
        } else if (kind === 1) {
          // Longer than the lease, for consumers; a relay meets its rival's fence when it comes back.
          child?.kill('SIGSTOP');
          const ms = role === 'consumer' ? version.sessionTimeoutMs * 1.4 : 1_500;
          setTimeout(() => child?.kill('SIGCONT'), ms);
        } else {
          await pool.query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid() AND random() < 0.5`,
          );
        }
      }

      await until(
        'all events are applied',
        async () => (await count('SELECT count(DISTINCT id) AS n FROM applied')) === events,
        90_000,
      ).catch((error: unknown) => {
        throw new Error(output.slice(-20).join(''), { cause: error });
      });
      await until('the outbox is empty', async () => (await count('SELECT count(*) AS n FROM outbox')) === 0);
      const ends = (await log.admin.describe(topic))?.partitions.map(({ logEnd }) => logEnd) ?? [];
      await until('lag 0', async () => {
        const { rows } = await pool.query<{ partition: number; next: string }>(
          'SELECT partition, next FROM next_offsets',
        );
        return rows.every(({ partition, next }) => BigInt(next) === ends[partition]) && rows.length === partitions;
      });
      // A relay that died between publishing and deleting publishes again: a repeat, in the same order.
      const outOfOrder = await pool.query(
        `SELECT * FROM (
           SELECT id, lag(id) OVER (PARTITION BY id % ${keys} ORDER BY first) AS before FROM (
             SELECT id, min("offset") AS first FROM applied GROUP BY id
           ) f
         ) o WHERE id < before`,
      );
      expect(outOfOrder.rows).toEqual([]);
      // What was applied is what the log holds, offset by offset.
      const appliedRecords = await count('SELECT count(*) AS n FROM applied');
      let held = 0;
      for (const [partition, until_] of ends.entries()) {
        const signal = AbortSignal.timeout(30_000);
        for await (const found of log.read({ topic, partition, from: 0n, until: until_, signal })) {
          held += 1;
          expect(found.value).not.toBeNull();
        }
      }
      expect(appliedRecords).toBe(held);
      await log.close();
    });
  });
}
