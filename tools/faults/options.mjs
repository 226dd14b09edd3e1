/** What tools/faults/run.mjs is told. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { faults } from './faults.mjs';
import { readLines } from './system.mjs';

const USAGE = `usage: run.mjs PROBLEMS GROUPS --out FOLDER [--log embedded|kafka] [--seed S] [--fault NAME]… [--one-process] [--together] [--unharmed FOLDER | --alone]\n`;

export function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      out: { type: 'string' },
      log: { type: 'string', default: 'embedded' },
      seed: { type: 'string', default: '1' },
      fault: { type: 'string', multiple: true },
      'one-process': { type: 'boolean', default: false },
      together: { type: 'boolean', default: false },
      steps: { type: 'string' },
      unharmed: { type: 'string' },
      alone: { type: 'boolean', default: false },
    },
  });
  const [problems, groups] = positionals;
  const apart = values.log === 'kafka' && !values['one-process'];
  const possible = Object.keys(faults).filter((name) => {
    const { on = ['embedded', 'kafka'], needs } = faults[name];
    return on.includes(values.log) && (apart || needs?.replicas === undefined);
  });
  // What is done to a start comes first.
  const wanted = (values.fault ?? possible.filter((name) => name !== 'none' && !faults[name].onlyWhenNamed)).toSorted(
    (a, b) => Number('starts' in (faults[b] ?? {})) - Number('starts' in (faults[a] ?? {})),
  );
  const unknown = wanted.filter((name) => !possible.includes(name));
  if (!groups || !values.out || unknown.length > 0 || !['embedded', 'kafka'].includes(values.log)) {
    process.stderr.write(USAGE);
    for (const name of unknown) process.stderr.write(`no such fault on ${values.log}: ${name}\n`);
    process.stderr.write(`faults on ${values.log}: ${possible.join(', ')}\n`);
    process.exit(2);
  }
  const steps = values.together ? Number(values.steps ?? wanted.length) : 1;
  return {
    out: resolve(values.out),
    log: values.log,
    apart,
    seed: Number(values.seed),
    wanted,
    together: values.together,
    unharmed: values.unharmed && resolve(values.unharmed),
    alone: values.alone,
    portions: divide(readLines(problems), readLines(groups), steps),
  };
}

/** Problems in as many portions as there are steps, each with its groups. */
function divide(problems, groups, steps) {
  const size = Math.floor(problems.length / steps);
  if (size === 0) throw new Error(`${problems.length} problems are too few for ${steps} steps`);
  const idOf = (line) => {
    const { task_id, id = task_id } = JSON.parse(line);
    return id;
  };
  return Array.from({ length: steps }, (_, step) => {
    const mine = problems.slice(step * size, (step + 1) * size);
    const ids = new Set(mine.map(idOf));
    return { problems: mine, groups: groups.filter((line) => ids.has(idOf(line))) };
  });
}
