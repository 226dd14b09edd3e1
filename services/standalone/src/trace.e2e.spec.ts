import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startStandalone } from './start-standalone.ts';

interface Span {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
}

/** What a collector is sent: OTLP over HTTP, as JSON. */
interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { key: string; value: { stringValue?: string } }[] };
    readonly scopeSpans: readonly { readonly spans: readonly Omit<Span, 'service'>[] }[];
  }[];
}

const spans: Span[] = [];
const folder = mkdtempSync(join(tmpdir(), 'tidemark-trace-'));
let collector: Server;

beforeAll(async () => {
  // Run by root, PostgreSQL is another user, who has to get in.
  chmodSync(folder, 0o755);
  collector = createServer((request, response) => {
    void text(request).then((body) => {
      for (const { resource, scopeSpans } of (JSON.parse(body) as ExportRequest).resourceSpans) {
        const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
        spans.push(...scopeSpans.flatMap((scope) => scope.spans).map((span) => ({ ...span, service })));
      }
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((listening) => collector.listen(0, '127.0.0.1', listening));
});
afterAll(() => {
  collector.close();
  rmSync(folder, { recursive: true, force: true });
});

it('one trace follows a problem from intake through every service to the curated topic', async () => {
  const { port } = collector.address() as AddressInfo;
  const standalone = await startStandalone({
    dataFolder: folder,
    defaultFolders: [],
    host: '127.0.0.1',
    port: 0,
    logLevel: 'warn',
    env: { TIDEMARK_DEDUP_HELD_OUT_SHARE: '0' },
    tracingEnv: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` },
  });
  const ask = async (path: string, method = 'GET', body?: string) => {
    const answer = await fetch(`${standalone.url}${path}`, { method, ...(body !== undefined && { body }) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return await answer.text();
  };
  let header: string | undefined;
  try {
    await ask('/v1/targets/traced', 'PUT', '{}');
    const [record = ''] = readFileSync(resolve(import.meta.dirname, '../../../samples/tidemark.jsonl'), 'utf8').split(
      '\n',
    );
    await ask('/v1/problems?format=tidemark.problem.v1', 'POST', `${record}\n`);
    const curated = async () => (await ask('/v1/topics/curated.traced.v1')).split('\n').filter((line) => line !== '');
    await expect.poll(async () => (await curated()).length, { timeout: 90_000, interval: 250 }).toBeGreaterThan(0);
    header = (JSON.parse((await curated())[0] ?? '{}') as { headers: Record<string, string> }).headers.traceparent;
  } finally {
    await standalone.stop();
  }

  // What reached the trainers bears the trace that began at the door.
  const intake = spans.filter(({ name }) => name === 'publish problems.intake.v1');
  expect(intake).toHaveLength(1);
  const traceId = intake[0]?.traceId;
  expect(header?.split('-')[1]).toBe(traceId);
  const trace = spans.filter((span) => span.traceId === traceId);
  const hops = new Set(trace.map(({ service, name }) => `${service.replace('tidemark-', '')}: ${name}`));
  expect([...hops]).toEqual(
    expect.arrayContaining([
      'gateway: publish problems.intake.v1',
      'ingest: process problems.intake.v1',
      'normalize: process problems.raw.v1',
      'dedup: process problems.normalized.v1',
      'execute: process problems.unique.v1',
      'execute: job verify',
      'score: process problems.verified.v1',
      'select: process problems.verified.v1',
      'select: process problems.scored.v1',
      'gateway: process problems.status.v1',
    ]),
  );
  // It hangs together: every hop but the first follows from another that is there.
  const ids = new Set(trace.map(({ spanId }) => spanId));
  const roots = trace.filter(({ parentSpanId }) => parentSpanId === undefined || !ids.has(parentSpanId));
  expect(roots.map(({ name }) => name)).toEqual(['publish problems.intake.v1']);
  expect(ids.has(header?.split('-')[2] ?? '')).toBe(true);
});
