/**
 * Harms a Tidemark at work and looks whether anything was lost, or counted twice.
 *
 *   node tools/faults/run.mjs PROBLEMS.jsonl GROUPS.jsonl --out FOLDER [--log embedded|kafka] [--seed 1] [--fault NAME]…
 *     [--one-process] [--together [--steps N]] [--unharmed FOLDER | --alone]
 *
 * PROBLEMS in a format that `tidemark ingest` reads, GROUPS as tools/proofs/codegen-groups.mjs writes them;
 * tools/faults/work.mjs makes both. Needs a build; small disks need root, stepped clocks libfaketime. The system is on the
 * embedded log one process of all services, on Kafka each service a process of its own (`--one-process`: not there either). Each fault has a system of its own
 * and all of the work; with `--together` all are done to one system one after the other, each on its share of the work
 * (`--steps` shares, as many as faults unless it is said). First a system runs unharmed; the harmed ones have to come to the
 * same canonical projection after each fault, and the invariants I1 to I6 have to hold. `--unharmed` takes FOLDER/none of an
 * earlier run, on either log, with equal shares; with `--alone` nothing is compared. Prints a table; ends with 1 when anything is wrong.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
import { readOptions } from './options.mjs';
import { readLines, System } from './system.mjs';

const options = readOptions();
mkdirSync(options.out, { recursive: true });
let running;
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    interrupted = true;
    const stopped = running?.stop() ?? Promise.resolve();
    stopped.finally(() => process.exit(130));
  });
}

const unharmedFolder = options.unharmed ?? join(options.out, 'none');
let failures = 0;
if (options.unharmed === undefined && !options.alone)
  await harm(
    'none',
    options.portions.map(() => 'none'),
  );
if (options.together) await harm('together', options.wanted);
else for (const name of options.wanted) if (name !== 'none') await harm(name, [name]);
process.exit(failures === 0 ? 0 : 1);

/** One system, and what is done to it one after the other. */
async function harm(title, names) {
  const folder = join(options.out, title.replaceAll(' ', '-'));
  // Each try has faults of its own: they note what they did.
  const steps = names.map((name, index) => ({ name, fault: { ...faults[name] }, ...options.portions[index] }));
  const needs = Object.assign({}, ...steps.map(({ fault }) => fault.needs));
  const system = new System(folder, options, needs);
  running = system;
  const random = seeded(options.seed);
  const starting = steps[0].fault;
  let sound = true;
  try {
    await system.start(starting.starts && (() => starting.starts(system, random)));
    await system.declare();
    for (const index of steps.keys()) {
      const startedAt = Date.now();
      const told = await step(system, steps, index, random).catch((error) => ({ wrong: [error.message], notes: [] }));
      // Whoever interrupted us takes everything away, and ends us.
      if (interrupted) await new Promise(() => undefined);
      report(steps[index], told, startedAt);
      sound &&= told.wrong.length === 0;
      // What one fault broke is not to be laid on the next.
      if (!sound) break;
    }
  } catch (error) {
    if (interrupted) await new Promise(() => undefined);
    sound = false;
    report(steps[0], { wrong: [`start: ${error.message}`], notes: [] }, Date.now());
  }
  const left = (await system.stop().catch((error) => [error.message])).map((what) => `stop: ${what}`);
  left.push(...nothingLeftOfSandboxes(folder, system.pids).map((what) => `I6: ${what}`));
  if (left.length > 0) report({ name: title, fault: { says: 'at the end' } }, { wrong: left, notes: [] }, Date.now());
  // A system that held up is of no more use, and takes tens of megabytes.
  if (sound)
    for (const part of ['postgres', 'data', 'blobs']) rmSync(join(folder, part), { recursive: true, force: true });
}

function report({ name, fault }, { wrong, notes }, startedAt) {
  if (wrong.length > 0) failures++;
  const verdict = wrong.length === 0 ? 'holds' : `BROKEN: ${wrong.slice(0, 5).join('; ')}`;
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  console.log(`| ${name} | ${fault.says} | ${notes.join(', ')} | ${verdict} | ${seconds} s |`);
}

async function step(system, steps, index, random) {
  const { fault, ...portion } = steps[index];
  const notes = [];
  const wrong = [];
  await fault.before?.(system, random);
  await system.offer(portion);
  await fault.harm(system, random);
  await system.settle();
  const { blows, idleBlows } = system;
  if (blows > 0) notes.push(`${blows - idleBlows} of ${blows} blows while at work`);
  Object.assign(system, { blows: 0, idleBlows: 0 });
  const told = await fault.after?.(system);
  if (told?.words) notes.push(told.words);
  wrong.push(...(told?.wrong ?? []), ...(await whatIsWrong(system, steps.slice(0, index + 1))));
  return { wrong, notes };
}

async function whatIsWrong(system, steps) {
  const sum = (of) => steps.reduce((total, each) => total + of(each), 0);
  const offered = { problems: sum(({ problems }) => problems.length), groups: sum(({ groups }) => groups.length) };
  const name = `projection-${steps.length}.ndjson`;
  const ended = (await projection(system.url)).filter((line) => !isOfFaults(steps, JSON.parse(line)));
  writeFileSync(join(system.folder, name), ended.map((line) => `${line}\n`).join(''));
  const unharmed = join(unharmedFolder, name);
  const wrong = options.alone ? [] : differences(readProjection(unharmed), ended);
  for (const [invariant, found] of [
    ['I1', await everyIdInOneState(system.url, offered.problems)],
    ['I2', await oneEffectiveResult(system.url, offered.groups + sum(({ fault }) => fault.moreGroups ?? 0))],
    ['I3', await countsEqualRecount(system.url, system.folder)],
    ['I4', await noBackwardMoves(system.url)],
    [
      'I5',
      await nothingLeftUnderWay(
        system,
        sum(({ fault }) => fault.letters ?? 0),
      ),
    ],
  ]) {
    for (const what of found) wrong.push(`${invariant}: ${what}`);
  }
  return wrong;
}

function readProjection(file) {
  if (!existsSync(file)) throw new Error(`there is no projection of an unharmed system to compare with: ${file}`);
  return readLines(file);
}

/** Lines that faults themselves put in. */
function isOfFaults(steps, line) {
  const isOf = ({ fault }) => (fault.letters > 0 && line.kind === 'dead letter') || (fault.alters?.(line) ?? false);
  return steps.some(isOf);
}

function differences(before, after) {
  const [inBefore, inAfter] = [new Set(before), new Set(after)];
  const differing = [...before.filter((line) => !inAfter.has(line)), ...after.filter((line) => !inBefore.has(line))];
  return differing.length === 0
    ? []
    : [`${differing.length} lines of the projection differ: ${differing.slice(0, 2).join(' ')}`];
}
