/**
 * Real completions through the whole stream, optionally with kills on the way.
 *
 *   node tools/proofs/codegen-run.mjs PROBLEMS.jsonl[.gz] GROUPS.jsonl --out FOLDER [--kills 20] [--seed 1]
 *
 * PROBLEMS in a format that `tidemark ingest` reads, GROUPS as codegen-groups.mjs writes them. Starts a Tidemark of its
 * own under FOLDER, publishes the problems, declares the target (completions, cut at the stop sequences given by
 * `--stop`), submits the groups, commands one evaluation after the last of them, and writes
 *
 *   FOLDER/projection.ndjson   the canonical projection, to be compared between runs
 *   FOLDER/<topic>.ndjson      dumps of the topics from which others recount
 *
 * With `--kills N` the process is killed (SIGKILL) at N seeded moments while groups are graded, every second time
 * together with its PostgreSQL, and started again.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { projection, readTopic } from './projection.mjs';
import { check, seeded, TidemarkProcess } from './tidemark-process.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string' },
    kills: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    target: { type: 'string', default: 'codegen-16b-mono' },
    stop: { type: 'string', multiple: true, default: ['\nclass', '\ndef', '\n#', '\nif', '\nprint', '\n@'] },
    'kill-every-ms': { type: 'string', default: '8000' },
  },
});
const [problems, groups] = positionals;
if (groups === undefined || values.out === undefined) {
  process.stderr.write('usage: codegen-run.mjs PROBLEMS GROUPS --out FOLDER [--kills N] [--seed S]\n');
  process.exit(2);
}
const out = resolve(values.out);
rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, 'data'), { recursive: true });

// One evaluation, by command, after the last group: what moves where then depends on the evidence alone.
const tidemark = await TidemarkProcess.create(join(out, 'data'), {
  TIDEMARK_CALIBRATE_EVALUATE_AFTER_GROUPS: '0',
  TIDEMARK_CALIBRATE_EVALUATE_AFTER_SECONDS: '0',
  TIDEMARK_DEDUP_HELD_OUT_SHARE: '0',
});
const say = (line) => process.stderr.write(`${new Date().toISOString()} ${line}\n`);
const startedAt = Date.now();
await tidemark.start();
say(`started on ${tidemark.url}`);

check(tidemark.run('ingest', problems), 'ingest');
writeFileSync(
  join(out, 'target.json'),
  JSON.stringify({
    display_name: 'CodeGen 16B mono',
    answer_form: 'completion',
    sampling: { temperature: 0.8, top_p: 0.95, stop_sequences: values.stop },
    group_size: 8,
  }),
);
check(tidemark.run('target', 'declare', values.target, '--settings', join(out, 'target.json')), 'target declare');
check(tidemark.run('checkpoint', 'advance', values.target, 'base', '--ordinal', '0'), 'checkpoint advance');

const kills = Number(values.kills);
const random = seeded(Number(values.seed));
let submitting = tidemark.runAside('rollouts', 'submit', groups);
for (let kill = 1; kill <= kills; kill++) {
  await delay(500 + random() * Number(values['kill-every-ms']));
  const postgres = kill % 2 === 0;
  if ((await tidemark.status()).quiet)
    throw new Error(`kill ${kill} of ${kills} would hit an idle process: kill more often`);
  await tidemark.kill({ postgres });
  say(`kill ${kill} of ${kills}: node${postgres ? ' and PostgreSQL' : ''}`);
  const { status } = await submitting;
  await tidemark.start();
  // A producer whose upload was cut off sends it again; what had arrived counts once.
  submitting = status === 0 ? Promise.resolve({ status: 0 }) : tidemark.runAside('rollouts', 'submit', groups);
}
check(await submitting, 'rollouts submit');
await tidemark.untilQuiet();
say('all groups graded');
check(tidemark.run('evaluate', values.target), 'evaluate');
await tidemark.untilQuiet();

writeFileSync(join(out, 'projection.ndjson'), `${(await projection(tidemark.url)).join('\n')}\n`);
for (const topic of [
  'rollouts.graded.v1',
  'problems.scored.v1',
  'problems.unique.v1',
  'problems.withdrawn.v1',
  'problems.status.v1',
  'calibrations.published.v1',
  'evaluations.recorded.v1',
  'difficulty.estimated.v1',
  'targets.declared.v1',
  'checkpoints.advanced.v1',
]) {
  const lines = [];
  for await (const record of readTopic(tidemark.url, topic)) lines.push(JSON.stringify(record));
  writeFileSync(join(out, `${topic}.ndjson`), `${lines.join('\n')}\n`);
}
writeFileSync(join(out, 'status.json'), JSON.stringify(await tidemark.status(), null, 2));
const code = await tidemark.stop();
say(`done in ${Math.round((Date.now() - startedAt) / 1000)} s, ${kills} kills, exit code of the last stop ${code}`);
