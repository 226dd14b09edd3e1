/**
 * A rolling upgrade with two real builds: the services of the release before, each replaced by this one's while problems
 * and rollouts flow, both beside each other on one database and one broker. Nothing may be lost, counted twice or laid aside.
 *
 *   git worktree add ../before REF && (cd ../before && npm ci && npm run build)
 *   node tools/proofs/rolling-upgrade.mjs --before ../before --out FOLDER [--kafka host:port]
 *
 * Needs a build of both.
 */
import { createWriteStream, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Cluster } from '../cluster/cluster.mjs';
import { publishSampleTo } from '../cluster/publish-sample.mjs';
import { projection } from './projection.mjs';

const { values } = parseArgs({
  options: { before: { type: 'string' }, out: { type: 'string' }, kafka: { type: 'string' } },
});
if (values.before === undefined || values.out === undefined) {
  process.stderr.write('usage: rolling-upgrade.mjs --before CHECKOUT --out FOLDER [--kafka host:port]\n');
  process.exit(2);
}
const out = resolve(values.out);
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const log = createWriteStream(join(out, 'cluster.log'));
const says = (who, line) => log.write(`${who} | ${line}\n`);
const cluster = new Cluster({
  folder: join(out, 'data'),
  kafka: values.kafka,
  root: resolve(values.before),
  replicas: { execute: 1 },
  env: {
    TIDEMARK_CALIBRATE_EVALUATE_AFTER_GROUPS: '0',
    TIDEMARK_CALIBRATE_EVALUATE_AFTER_SECONDS: '0',
    TIDEMARK_DEDUP_HELD_OUT_SHARE: '0',
  },
  says,
});
const faults = [];
try {
  await cluster.start();
  say(`the release before is ready: ${cluster.processes.length} processes`);
  const publishing = publishSampleTo(cluster.url, new AbortController().signal, (step) => say(step));
  // The door stays the old one while the sample goes in; the stages behind it change one by one.
  for (const name of ['normalize', 'dedup', 'execute', 'score', 'calibrate', 'select', 'sample', 'ingest']) {
    await cluster.replace(name);
    say(`${name} is of this release`);
  }
  await publishing;
  await cluster.replace('gateway');
  say('gateway is of this release');
  await publishSampleTo(cluster.url, new AbortController().signal, () => undefined);

  const lines = await projection(cluster.url);
  writeFileSync(join(out, 'projection.ndjson'), `${lines.join('\n')}\n`);
  const rows = lines.map((line) => JSON.parse(line));
  const count = (kind) => rows.filter((row) => row.kind === kind).length;
  const groups = ['smollm2-135m-instruct', 'written-student'].flatMap((target) =>
    readFileSync(resolve(import.meta.dirname, `../../samples/${target}.rollouts.jsonl`), 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== ''),
  ).length;
  say(
    `${count('verified')} problems verified, ${count('group')} of ${groups} groups graded, ${count('dead letter')} dead letters`,
  );
  if (count('dead letter') > 0) faults.push(`${count('dead letter')} dead letters`);
  const status = await (await fetch(`${cluster.url}/v1/status`)).json();
  writeFileSync(join(out, 'status.json'), JSON.stringify(status, null, 2));
  if (!status.quiet) faults.push('it is not quiet');
} finally {
  faults.push(...(await cluster.stop()));
}
for (const fault of faults) say(`FAULT ${fault}`);
process.exit(faults.length === 0 ? 0 : 1);

function say(line) {
  process.stdout.write(`${line}\n`);
  says('proof', line);
}
