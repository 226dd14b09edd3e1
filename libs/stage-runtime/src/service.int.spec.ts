import { connect } from 'node:net';
import { Controller, Get, Module } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { ProblemNormalizedSchema } from '@tidemark/proto';
import { create } from '@bufbuild/protobuf';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { StageTransaction } from './api.ts';
import { defineService } from './define-service.ts';
import { Every, type TimerTick } from './every.ts';
import { causeOf, InjectConfig, StageDatabase } from './injectables.ts';
import { sleep } from './sleep.ts';
import { type StageHarness, startStage } from './testing/index.ts';
import { type ActivitySource, ReportsActivity } from './worker.ts';

const configSchema = z.object({ greeting: z.string().default('hello').describe('What to say. Default hello.') });
const turns = { pending: 0 };

@Controller()
class Doors {
  constructor(
    @InjectConfig() private readonly config: z.output<typeof configSchema>,
    private readonly database: StageDatabase,
  ) {}

  @Get('greeting')
  greet() {
    return { greeting: this.config.greeting };
  }

  @Get('offer')
  async offer() {
    await this.database.transaction('offer', async (tx) => {
      const problem = create(ProblemNormalizedSchema, { problemId: 'offered', version: 1 });
      tx.publish(causeOf('request-1'), topics.problemsNormalized, problem);
    });
    return {};
  }

  @Every(40, { name: 'ticker' })
  async tick({ id, tick }: TimerTick, tx: StageTransaction): Promise<void> {
    await tx.query('INSERT INTO outgoing_revisions VALUES ($1, $2, $3)', ['ticks', Buffer.from(id), tick]);
  }
}

const replicaCauses = new Set<string>();

@Controller()
class OnEachReplica {
  @Every(30, { name: 'own', onEveryReplica: true })
  async tick({ id }: TimerTick): Promise<void> {
    replicaCauses.add(id);
  }
}

@ReportsActivity()
class Waiting implements ActivitySource {
  pendingWork() {
    return Promise.resolve({ groups: turns.pending });
  }
}

@Module({ controllers: [Doors, OnEachReplica], providers: [Waiting] })
class DoorsModule {}

const doors = defineService({
  name: 'gateway',
  configSchema,
  module: () => DoorsModule,
  migrations: [],
  topics: [topics.problemsNormalized],
});

describe('a service', () => {
  let stage: StageHarness | undefined;
  afterEach(() => stage?.stop());

  it('answers probes and requests, with its configuration', async () => {
    stage = await startStage(doors, { http: true, config: { greeting: 'moin' } });
    const get = async (path: string) => {
      const response = await fetch(`${stage?.service.address}${path}`);
      return [response.status, await response.json()];
    };
    expect(await get('/livez')).toEqual([200, { alive: true }]);
    expect(await get('/readyz')).toEqual([200, { ready: true, reasons: [] }]);
    expect(await get('/greeting')).toEqual([200, { greeting: 'moin' }]);
    expect(await get('/activity')).toMatchObject([200, { service: 'gateway', outboxRows: 0 }]);
  });

  it('leaves nothing in motion when its port is taken', async () => {
    stage = await startStage(doors, { http: true });
    const taken = Number(new URL(stage.service.address ?? '').port);
    await expect(stage.startReplica(taken)).rejects.toThrow(/EADDRINUSE/);
    // One connection that listens is one service that runs.
    const listening = `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'tidemark-gateway-listen'`;
    await expect.poll(async () => (await stage?.query(listening))?.length).toBe(1);
  });

  it('stops although a caller never ends its request', async () => {
    stage = await startStage(doors, { http: true });
    const socket = connect(Number(new URL(stage.service.address ?? '').port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('POST /greeting HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nbegun');
    await sleep(300);
    const startedMs = performance.now();
    await stage.service.stop();
    // Far below the time for which an idle connection is kept.
    expect(performance.now() - startedMs).toBeLessThan(30_000);
  });

  it('asks for its token everywhere but at the probes', async () => {
    stage = await startStage(doors, { http: true, accessToken: 'a-token-of-some-length' });
    const status = async (path: string, headers = {}) =>
      (await fetch(`${stage?.service.address}${path}`, { headers })).status;
    expect(await status('/livez')).toBe(200);
    expect(await status('/greeting')).toBe(401);
    expect(await status('/activity')).toBe(401);
    expect(await status('/activity?x=/livez')).toBe(401);
    expect(await status('/greeting', { authorization: 'Bearer a-token-of-some-length' })).toBe(200);
  });

  it('publishes from a request: when it is answered, the event is on its way for good', async () => {
    stage = await startStage(doors, { http: true });
    await fetch(`${stage.service.address}/offer`);
    await stage.untilQuiet();
    expect((await stage.published(topics.problemsNormalized)).map(({ key }) => key)).toEqual(['offered']);
  });

  it('turns its timers, one replica at a time, numbered without a gap', async () => {
    stage = await startStage(doors);
    await stage.startReplica();
    await sleep(600);
    const rows = await stage.query<{ id: string; tick: string }>(
      "SELECT convert_from(key, 'UTF8') AS id, revision AS tick FROM outgoing_revisions WHERE topic = 'ticks' ORDER BY 2",
    );
    expect(rows.length).toBeGreaterThan(3);
    expect(rows.map(({ id }) => id)).toEqual(rows.map((_, index) => `ticker//${index + 1}`));
  });

  it('turns a timer on every replica where it asks for that, with a cause of its own each time', async () => {
    replicaCauses.clear();
    stage = await startStage(doors);
    await stage.startReplica();
    await expect
      .poll(() => new Set([...replicaCauses].map((id) => id.split('/')[1])).size, { timeout: 10_000 })
      .toBe(2);
    const ticks = replicaCauses.size;
    await expect.poll(() => replicaCauses.size, { timeout: 10_000 }).toBeGreaterThan(ticks);
  });

  it('is not quiet while it reports pending work', async () => {
    stage = await startStage(doors);
    turns.pending = 3;
    await expect(stage.untilQuiet(300)).rejects.toThrow('"groups":3');
    turns.pending = 0;
    await stage.untilQuiet();
  });
});
