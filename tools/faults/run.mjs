/**
 * Harms a Tidemark at work and looks whether anything was lost, or counted twice.
 *
 *   node tools/faults/run.mjs PROBLEMS.jsonl[.gz] GROUPS.jsonl --out FOLDER [--seed 1] [--fault NAME]… [--kafka host:port]
 *
 * PROBLEMS in a format that `tidemark ingest` reads, GROUPS as tools/proofs/codegen-groups.mjs writes them. Needs a build.
 * Each fault has a system of its own under FOLDER. First one runs unharmed; each other has to end in the same canonical
 * projection, and the invariants I1 to I6 have to hold. Prints a table; ends with 1 when anything is wrong.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { projection } from '../proofs/projection.mjs';
import { seeded } from '../proofs/tidemark-process.mjs';
import { faults } from './faults.mjs';
import {
  countsEqualRecount,
  everyIdInOneState,
  noBackwardMoves,
  nothingLeftOfSandboxes,
  nothingLeftUnderWay,
  oneEffectiveResult,
} from './invariants.mjs';
import { System } from './system.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string' },
    seed: { type: 'string', default: '1' },
    fault: { type: 'string', multiple: true },
    kafka: { type: 'string' },
  },
});
const [problems, groups] = positionals;
const wanted = values.fault ?? Object.keys(faults);
const unknown = wanted.filter((name) => !(name in faults));
if (groups === undefined || values.out === undefined || unknown.length > 0) {
  process.stderr.write('usage: run.mjs PROBLEMS GROUPS --out FOLDER [--seed S] [--fault NAME]… [--kafka host:port]\n');
  for (const name of unknown) process.stderr.write(`no such fault: ${name}\n`);
  process.stderr.write(`faults: ${Object.keys(faults).join(', ')}\n`);
  process.exit(2);
}
const out = resolve(values.out);
const offered = { problems: countLines(problems), groups: countLines(groups) };
mkdirSync(out, { recursive: true });

let unharmed;
let failures = 0;
for (const name of new Set(['none', ...wanted])) {
  const { says, harm, tmpfsMb } = faults[name];
  const folder = join(out, name.replaceAll(' ', '-'));
  const startedAt = Date.now();
  const system = new System(folder, { kafka: values.kafka, tmpfsMb });
  const wrong = [];
  let idle = false;
  try {
    await system.start();
    await system.offer(problems, groups);
    const random = seeded(Number(values.seed));
    await harm(system, random);
    idle = name !== 'none' && !(await system.isBusy());
    await system.settle();
    const ended = (await projection(system.url)).join('\n');
    writeFileSync(join(folder, 'projection.ndjson'), `${ended}\n`);
    unharmed ??= ended;
    if (ended !== unharmed) wrong.push('projection differs');
    for (const [invariant, found] of [
      ['I1', await everyIdInOneState(system.url, offered.problems)],
      ['I2', await oneEffectiveResult(system.url, offered.groups)],
      ['I3', await countsEqualRecount(system.url, folder)],
      ['I4', await noBackwardMoves(system.url)],
      ['I5', await nothingLeftUnderWay(system.url)],
    ]) {
      for (const what of found) wrong.push(`${invariant}: ${what}`);
    }
  } catch (error) {
    wrong.push(error instanceof Error ? error.message : String(error));
  }
  await system.stop().catch((error) => wrong.push(`stop: ${error.message}`));
  for (const what of nothingLeftOfSandboxes(folder, system.pids)) wrong.push(`I6: ${what}`);
  if (wrong.length > 0) failures++;
  const verdict = wrong.length === 0 ? 'holds' : `BROKEN: ${wrong.slice(0, 5).join('; ')}`;
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  console.log(
    `| ${name} | ${says}${idle ? ' (the work was done before the last blow)' : ''} | ${verdict} | ${seconds} s |`,
  );
}
process.exit(failures === 0 ? 0 : 1);

function countLines(file) {
  const bytes = readFileSync(file);
  return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').split('\n').filter(Boolean).length;
}
