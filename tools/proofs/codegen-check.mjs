/**
 * Holds the verdicts of `rollouts.graded.v1` against a list that graded the same completions one by one.
 *
 *   node tools/proofs/codegen-check.mjs SAMPLES.jsonl[.gz] GRADED.csv < rollouts.graded.ndjson
 *
 * Reads a dump of the topic (`tidemark topic dump rollouts.graded.v1`) and the groups that codegen-groups.mjs makes of
 * the same files. Prints every attempt on which the two differ, the passes per problem, and pass@1, @10, @100 of both.
 * An attempt that the list calls a time-out may be anything here, and is named; so may one that `--allow TASK:INDEX` names.
 * Ends with 1 when anything else differs, when a verdict speaks of the environment, or when a group or an attempt is missing.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    allow: { type: 'string', multiple: true, default: [] },
    'group-size': { type: 'string', default: '8' },
    problems: { type: 'string', default: 'Infinity' },
  },
});
const [samplesFile, gradedFile] = positionals;
const groupSize = Number(values['group-size']);
const fileHash = createHash('sha256').update(readFileSync(samplesFile)).digest('hex');
const wanted = readFileSync(gradedFile, 'utf8')
  .trim()
  .split(/\r?\n/)
  .slice(1, 1 + Number(values.problems))
  .map((line) => {
    const [taskId, , , , , grades] = line.split(',');
    return { taskId, grades };
  });

const groups = new Map();
for (const line of readFileSync(0, 'utf8').split(/\r?\n/).filter(Boolean)) {
  const { value } = JSON.parse(line);
  if (value) groups.set(value.group.groupId, value);
}

const PROGRAM_VERDICTS = new Set(
  [
    'ACCEPTED',
    'WRONG_ANSWER',
    'TIME_LIMIT',
    'MEMORY_LIMIT',
    'OUTPUT_LIMIT',
    'RUNTIME_ERROR',
    'COMPILE_ERROR',
    'NO_CODE',
    'WRONG_FORM',
  ].map((name) => `VERDICT_${name}`),
);
let differences = 0;
let missing = 0;
let timeouts = 0;
const ours = [];
const theirs = [];
for (const [row, { taskId, grades }] of wanted.entries()) {
  let c = 0;
  for (let first = 0; first < grades.length; first += groupSize) {
    const id = createHash('sha256').update(`${fileHash}\0${row}\0${first}`).digest('hex');
    const group = groups.get(id);
    if (group === undefined) {
      missing++;
      console.log(`missing: ${taskId} attempts ${first}-${first + groupSize - 1} (${id})`);
      continue;
    }
    const size = Math.min(groupSize, grades.length - first);
    const indices = new Set(group.verdicts.map((verdict) => verdict.index ?? 0));
    if (indices.size !== size || group.verdicts.length !== size) {
      differences++;
      console.log(`DIFFERS: ${taskId} attempts from ${first}: ${group.verdicts.length} verdicts for ${size} attempts`);
    }
    for (const verdict of group.verdicts) {
      const index = first + (verdict.index ?? 0);
      const passed = verdict.verdict === 'VERDICT_ACCEPTED';
      if (passed) c++;
      if (!PROGRAM_VERDICTS.has(verdict.verdict)) {
        differences++;
        console.log(`DIFFERS: ${taskId} attempt ${index}: ${verdict.verdict} says nothing about the program`);
        continue;
      }
      if (passed === (grades[index] === 'p')) continue;
      const named = grades[index] === 't' || values.allow.includes(`${taskId}:${index}`);
      if (named) timeouts++;
      else differences++;
      console.log(
        `${named ? 'time-out case' : 'DIFFERS'}: ${taskId} attempt ${index}: list ${grades[index]}, here ${verdict.verdict}`,
      );
    }
  }
  ours.push([grades.length, c]);
  theirs.push([grades.length, [...grades].filter((grade) => grade === 'p').length]);
}
for (const k of [1, 10, 100]) {
  const [here, list] = [mean(ours, k).toFixed(3), mean(theirs, k).toFixed(3)];
  if (here !== list && timeouts === 0) differences++;
  console.log(`pass@${k}: here ${here}, list ${list}`);
}
console.log(
  `${wanted.length} problems, ${groups.size} groups, ${differences} differences, ${timeouts} time-out cases, ${missing} groups missing`,
);
process.exit(differences + missing === 0 ? 0 : 1);

/** Chen et al. 2021, equation 1: 1 - C(n-c, k) / C(n, k), as a product. */
function passAtK(n, c, k) {
  if (n - c < k) return 1;
  let allFail = 1;
  for (let i = n - c + 1; i <= n; i++) allFail *= 1 - k / i;
  return 1 - allFail;
}

function mean(counts, k) {
  return counts.reduce((sum, [n, c]) => sum + passAtK(n, c, k), 0) / counts.length;
}
