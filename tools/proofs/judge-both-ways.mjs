/**
 * Judges real completions twice, by an interpreter of its own a test and by a copy of a waiting one, and compares:
 *
 *   node tools/proofs/judge-both-ways.mjs HUMANEVAL.jsonl[.gz] SAMPLES.jsonl[.gz] GRADED.csv      (needs a build)
 *       [--per-problem 4] [--problems 164] [--stop TEXT]...
 *
 * Row i of SAMPLES holds the completions of row i of GRADED, whose first column names the problem and whose column
 * `passed` says how the data's authors graded each. Prints every completion whose verdict or first failing test differs,
 * the counts, and the time of both ways. Ends with code 1 when anything differs.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { BubblewrapSandbox, Judge, PythonProfile, WarmSandbox } from '@tidemark/execute';
import { assembleProgram, defaultLimits, extractCode } from '@tidemark/judging';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'per-problem': { type: 'string', default: '4' },
    problems: { type: 'string', default: 'Infinity' },
    stop: { type: 'string', multiple: true, default: ['\nclass', '\ndef', '\n#', '\nif', '\nprint'] },
  },
});
const [problemsFile, samplesFile, gradedFile] = positionals;
if (gradedFile === undefined) {
  console.error(
    'usage: node tools/proofs/judge-both-ways.mjs HUMANEVAL SAMPLES GRADED [--per-problem N] [--problems N]',
  );
  process.exit(2);
}

const linesOf = (file) => {
  const bytes = readFileSync(file);
  return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').split(/\r?\n/).filter(Boolean);
};
const problems = new Map(linesOf(problemsFile).map((line) => [JSON.parse(line).task_id, JSON.parse(line)]));
const taskIds = linesOf(gradedFile)
  .slice(1)
  .map((line) => line.split(',')[0]);

const python = await PythonProfile.detect();
if (!python) throw new Error('python3 is needed');
const { readOnlyFolders, warm } = python;
const cold = new BubblewrapSandbox({ readOnlyFolders });
const copying = new WarmSandbox({ readOnlyFolders, firstUid: 65_000 }, [warm], (reason) => {
  throw new Error(`not by a copy: ${reason}`);
});
const ways = { own: new Judge(cold, [python]), copy: new Judge(copying, [python]) };
for (const sandbox of [cold, copying]) console.log(JSON.stringify(await sandbox.check()));

const seconds = { own: 0, copy: 0 };
const cpuMs = { own: 0, copy: 0 };
const counts = new Map();
let judged = 0;
let different = 0;
for (const [row, line] of linesOf(samplesFile).slice(0, Number(values.problems)).entries()) {
  const problem = problems.get(taskIds[row]);
  const script = `${problem.test}\ncheck(${problem.entry_point})\n`;
  const form = { kind: 'asserts', tests: [script], entry: problem.entry_point, together: false };
  for (const output of JSON.parse(line).samples.slice(0, Number(values['per-problem']))) {
    const extraction = extractCode(output, { kind: 'completion', stopSequences: values.stop }, 'python');
    if (extraction.kind === 'no_code') continue;
    const answer = { code: extraction.code, continuesPreamble: true };
    const source = assembleProgram(problem.prompt, answer, problem.entry_point);
    const results = {};
    // In turn first and second, so that neither finds the machine better prepared.
    for (const way of judged % 2 === 0 ? ['own', 'copy'] : ['copy', 'own']) {
      const started = performance.now();
      results[way] = await ways[way].judge({ language: 'python', source }, form, defaultLimits);
      seconds[way] += (performance.now() - started) / 1000;
      cpuMs[way] += results[way].cpuTimeMs;
    }
    judged++;
    const { own, copy } = results;
    counts.set(own.verdict, (counts.get(own.verdict) ?? 0) + 1);
    if (own.verdict !== copy.verdict || own.failingTest !== copy.failingTest) {
      different++;
      console.log(`${taskIds[row]}: ${own.verdict} (${own.detail}) and ${copy.verdict} (${copy.detail})`);
    }
  }
}
await Promise.all([cold.close(), copying.close()]);
console.log(
  `${judged} completions, ${different} with another verdict: ${[...counts].map((one) => one.join(' ')).join(', ')}`,
);
for (const way of ['own', 'copy']) {
  const each = `${((seconds[way] * 1000) / judged).toFixed(1)} ms, of that ${(cpuMs[way] / judged).toFixed(1)} ms CPU in the sandbox`;
  console.log(`${way}: ${seconds[way].toFixed(1)} s, a completion ${each}`);
}
process.exit(different > 0 ? 1 : 0);
