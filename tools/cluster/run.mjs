/**
 * `npm run cluster`: every service a process of its own on Apache Kafka and PostgreSQL, until Ctrl-C. Each line of their
 * logs bears the name of its process.
 *
 *   npm run cluster -- [--sample] [--once] [--port 7400] [--execute 2] [--kafka host:port] [--folder FOLDER] [--quiet]
 *
 * `--sample` publishes the sample, `--once` ends when all is quiet, `--quiet` shows warnings and worse alone. The folder
 * (`.tidemark/cluster`) is emptied at each start: a cluster is for trying, not for keeping.
 */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Cluster } from './cluster.mjs';
import { publishSampleTo } from './publish-sample.mjs';

const root = resolve(import.meta.dirname, '../..');
const { values } = parseArgs({
  options: {
    sample: { type: 'boolean', default: false },
    once: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
    port: { type: 'string', default: '7400' },
    execute: { type: 'string', default: '2' },
    kafka: { type: 'string' },
    folder: { type: 'string', default: join(root, '.tidemark', 'cluster') },
  },
});
const said = (who, line) => process.stdout.write(`${who.padEnd(12)} | ${inWords(line)}\n`);
const cluster = new Cluster({
  folder: resolve(values.folder),
  port: Number(values.port),
  replicas: { execute: Number(values.execute) },
  kafka: values.kafka,
  env: values.quiet ? { TIDEMARK_LOG_LEVEL: 'warn' } : {},
  says: said,
});
/** Of one Ctrl-C the terminal tells us, and npm passes it on once more. */
const SAME_SIGNAL_MS = 1_000;
const interrupted = new AbortController();
let interruptedAt = 0;
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    if (interrupted.signal.aborted && performance.now() - interruptedAt < SAME_SIGNAL_MS) return;
    if (interrupted.signal.aborted) process.exit(130);
    interruptedAt = performance.now();
    said('cluster', `${signal}: what is in hand is finished first`);
    interrupted.abort();
  });
}
let code = 0;
try {
  await Promise.race([cluster.start(), untilAborted(interrupted.signal)]);
  said('cluster', `ready: ${cluster.processes.length} processes, the gateway on ${cluster.url}`);
  if (values.sample) await publishSampleTo(cluster.url, interrupted.signal, (step) => said('cluster', step));
  if (values.once) said('cluster', 'All is quiet.');
  else await untilAborted(interrupted.signal);
} catch (error) {
  if (!interrupted.signal.aborted) {
    said('cluster', error.message);
    code = 1;
  }
}
for (const unclean of await cluster.stop()) {
  said('cluster', unclean);
  code = 1;
}
process.exit(code);

/** A line of a service's log, which is JSON, for people: level, message, fields; stacks stay away. */
function inWords(line) {
  if (!line.startsWith('{')) return line;
  const { level, msg, time, service, stack, errorName, ...fields } = JSON.parse(line);
  const words = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return [level >= 50 ? 'ERROR' : level >= 40 ? 'WARN' : 'info', msg, ...words].join(' ');
}

function untilAborted(signal) {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('interrupted')), { once: true });
  });
}
