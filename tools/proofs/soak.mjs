/**
 * A whole Tidemark under steady work, every service a process of its own on Kafka: does its memory stay flat?
 *
 *   node tools/proofs/soak.mjs PROBLEMS.jsonl[.gz] GROUPS.jsonl --out FOLDER [--minutes 30] [--groups-per-second 3]
 *
 * PROBLEMS in a format that `tidemark ingest` reads; GROUPS as codegen-groups.mjs writes them, taken again and again under
 * new ids. Every minute the target's next checkpoint is advanced, so bins are evaluated anew, and batches are leased. Every
 * ten seconds the resident memory of each process is read (`process_resident_memory_bytes`).
 *
 * Writes FOLDER/memory.ndjson and prints, by process, the lowest reading of each third of the time after the first tenth,
 * which is left out as warm-up. The lowest of a third is what lives: readings between depend on when garbage was collected.
 * Ends with 1 when one process's last third lies more than a tenth and 16 MiB above its middle third, when a process ended,
 * or when the stream did not keep up.
 */
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { GatewayClient } from '../../clients/cli/dist/gateway-client.js';
import { untilQuiet } from '../../clients/cli/dist/start/publish-sample.js';
import { Cluster } from '../cluster/cluster.mjs';
import { tidemark } from './tidemark-process.mjs';

const READ_EVERY_MS = 10_000;
const CHECKPOINT_EVERY_MS = 60_000;
const SUBMIT_EVERY_MS = 5_000;
const TARGET = 'soak';
const MIB = 1 << 20;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string' },
    minutes: { type: 'string', default: '30' },
    'groups-per-second': { type: 'string', default: '3' },
    stop: { type: 'string', multiple: true, default: ['\nclass', '\ndef', '\n#', '\nif', '\nprint', '\n@'] },
  },
});
const [problems, groupsFile] = positionals;
if (groupsFile === undefined || values.out === undefined) {
  process.stderr.write('usage: soak.mjs PROBLEMS GROUPS --out FOLDER [--minutes 30] [--groups-per-second 3]\n');
  process.exit(2);
}
const out = resolve(values.out);
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const say = (line) => process.stderr.write(`${new Date().toISOString()} ${line}\n`);

const cluster = new Cluster({
  folder: join(out, 'cluster'),
  env: { TIDEMARK_LOG_LEVEL: 'warn', TIDEMARK_DEDUP_HELD_OUT_SHARE: '0' },
  says: (who, line) => appendFileSync(join(out, 'log.txt'), `${who} ${line}\n`),
});
let failed = false;
try {
  await cluster.start();
  say(`ready on ${cluster.url}`);
  failed = !(await soak());
} finally {
  const unclean = await cluster.stop();
  for (const one of unclean) say(one);
  failed ||= unclean.length > 0;
}
process.exitCode = failed ? 1 : 0;

async function soak() {
  const client = new GatewayClient({ url: cluster.url, token: undefined }, new AbortController().signal);
  const command = (...words) => tidemark(cluster.url, ...words);
  const settings = join(out, 'target.json');
  const sampling = { temperature: 0.8, top_p: 0.95, stop_sequences: values.stop };
  writeFileSync(settings, JSON.stringify({ display_name: 'soak', answer_form: 'completion', group_size: 8, sampling }));
  await command('ingest', problems);
  await command('target', 'declare', TARGET, '--settings', settings);
  await untilQuiet({ client, signal: new AbortController().signal, says: () => undefined });
  const groups = readFileSync(groupsFile, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const minutes = Number(values.minutes);
  const [startedAt, perTurn] = [Date.now(), Math.ceil((Number(values['groups-per-second']) * SUBMIT_EVERY_MS) / 1000)];
  const readings = [];
  let [sent, checkpoint, submitDue, readDue, checkpointDue] = [0, 0, 0, 0, 0];
  for (let at = 0; at < minutes * 60_000; at = Date.now() - startedAt) {
    if (at >= checkpointDue) {
      await command('checkpoint', 'advance', TARGET, `step-${checkpoint}`);
      checkpoint++;
      await command('batch', TARGET, '--count', '16');
      checkpointDue += CHECKPOINT_EVERY_MS;
    }
    if (at >= submitDue) {
      const turn = Array.from({ length: perTurn }, (_, one) => {
        const group = groups[(sent + one) % groups.length];
        return JSON.stringify({
          ...group,
          group: `${sent + one}`,
          target: TARGET,
          checkpoint: `step-${checkpoint - 1}`,
        });
      });
      sent += turn.length;
      writeFileSync(join(out, 'turn.jsonl'), `${turn.join('\n')}\n`);
      await command('rollouts', 'submit', join(out, 'turn.jsonl'));
      submitDue += SUBMIT_EVERY_MS;
    }
    if (at >= readDue) {
      for (const { label, url } of cluster.processes) readings.push(await read(label, url, at));
      writeFileSync(join(out, 'memory.ndjson'), `${readings.map((one) => JSON.stringify(one)).join('\n')}\n`);
      readDue += READ_EVERY_MS;
    }
    await delay(200);
  }
  say(`${sent} groups sent, ${checkpoint} checkpoints`);
  const drainedAt = Date.now();
  await untilQuiet({ client, signal: AbortSignal.timeout(600_000), says: () => undefined });
  say(`all graded ${Math.round((Date.now() - drainedAt) / 1000)} s after the last was sent`);
  return verdict(readings, minutes * 60_000);
}

async function read(label, url, atMs) {
  const answer = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(20_000) });
  const value = (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  const text = await answer.text();
  return {
    process: label,
    atMs,
    residentBytes: value('process_resident_memory_bytes'),
    heapBytes: value('nodejs_heap_size_used_bytes'),
    descriptors: value('process_open_fds'),
  };
}

function verdict(readings, lengthMs) {
  let flat = true;
  process.stdout.write('process        first third  middle  last third (MiB, lowest)  descriptors\n');
  for (const { label } of cluster.processes) {
    const own = readings.filter((one) => one.process === label && one.atMs > lengthMs / 10);
    const third = (n) => own.filter(({ atMs }) => Math.min(2, Math.floor(((atMs / lengthMs - 0.1) / 0.9) * 3)) === n);
    const [first, middle, last] = [0, 1, 2].map((n) => Math.min(...third(n).map((one) => one.residentBytes)) / MIB);
    const grows = last > middle * 1.1 && last > middle + 16;
    flat &&= !grows;
    const descriptors = third(2).at(-1)?.descriptors;
    const cells = [first, middle, last].map((mib) => mib.toFixed(0).padStart(8)).join(' ');
    process.stdout.write(`${label.padEnd(14)}${cells}  ${descriptors}${grows ? '  GROWS' : ''}\n`);
  }
  return flat;
}
