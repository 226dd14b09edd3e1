/**
 * Judges the reference solutions of problem files by their own tests:
 *
 *   node tools/proofs/judge-references.mjs FILE...      (JSON Lines of any known format, plain or .gz; needs a build)
 *
 * Prints one line for each reference that is not accepted, with the failing test, and the counts of each file.
 * Ends with code 1 when an environment verdict was given, since then nothing is proven.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { gunzipSync } from 'node:zlib';
import { BubblewrapSandbox, Judge, PythonProfile } from '@tidemark/execute';
import { parseProblem, splitLines } from '@tidemark/formats';
import { defaultLimits, isAboutProgram } from '@tidemark/judging';

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error('usage: node tools/proofs/judge-references.mjs FILE...');
  process.exit(2);
}

const python = await PythonProfile.detect();
if (!python) throw new Error('python3 is needed');
const sandbox = new BubblewrapSandbox({ readOnlyFolders: python.readOnlyFolders });
const report = await sandbox.check();
if (!report.ready) throw new Error(report.reason);
const judge = new Judge(sandbox, [python]);
console.log(`${python.version}; ${report.isolation}; ${report.accounting}; judge ${judge.version}`);

let environmentFailures = 0;
for (const file of files) {
  const started = performance.now();
  const bytes = readFileSync(file);
  const lines = [...splitLines(file.endsWith('.gz') ? gunzipSync(bytes) : bytes)];
  const counts = new Map();
  let next = 0;
  const work = async () => {
    for (let at = next++; at < lines.length; at = next++) {
      const parsed = parseProblem(lines[at].bytes);
      const verdicts = parsed.kind === 'problem' ? await judgeRecord(parsed.record) : ['faulty record'];
      for (const verdict of verdicts) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const named = [...counts].map(([verdict, count]) => `${verdict} ${count}`).join(', ');
  console.log(`${file}: accepted ${counts.get('accepted') ?? 0} of ${total} (${named}) in ${seconds} s`);
}
await sandbox.close();
process.exit(environmentFailures > 0 ? 1 : 0);

async function judgeRecord(record) {
  const form = formOf(record);
  const verdicts = [];
  for (const reference of record.references) {
    const preparation = record.tests?.form === 'assert' ? record.tests.preparation : '';
    const source = preparation === '' ? reference.code : `${preparation}\n${reference.code}`;
    const submission = { language: reference.language, source };
    const judged = (how) => judge.judge(submission, how, limitsOf(record.limits), { allTests: true });
    let result = await judged(form);
    if (form.kind === 'asserts' && result.verdict !== 'accepted') {
      // Tests that need the program's own objects can't run apart from it.
      result = await judged({ ...form, together: true });
      if (result.verdict === 'accepted')
        console.log(`  ${record.recordId}: accepted, tests and program in one process`);
    }
    if (!isAboutProgram(result.verdict)) environmentFailures++;
    if (result.verdict !== 'accepted') {
      console.log(
        `  ${record.recordId}: ${result.verdict}: ${result.detail}${result.expected ? `\n    ${result.expected.replaceAll('\n', '\n    ')}` : ''}`,
      );
    }
    verdicts.push(result.verdict);
  }
  return verdicts;
}

function formOf(record) {
  const { tests, entryPoint } = record;
  if (tests === undefined) return { kind: 'asserts', tests: [], entry: '', together: false };
  switch (tests.form) {
    case 'assert':
      return { kind: 'asserts', tests: tests.cases.map(({ code }) => code), entry: entryPoint, together: false };
    case 'call':
      return {
        kind: 'call',
        entry: entryPoint,
        comparison: comparisonOf(tests.checker),
        tests: tests.cases.map((one) => ({
          argumentsJson: one.arguments,
          namedArgumentsJson: one.namedArguments,
          expectedJson: one.expected ?? 'null',
          ...(one.inPlace === undefined ? {} : { inPlaceArgument: one.inPlace }),
        })),
      };
    case 'stdin': {
      const bytes = (text) => new TextEncoder().encode(text ?? '');
      return {
        kind: 'stdin',
        checker: comparisonOf(tests.checker),
        tests: tests.cases.map(({ input, expected }) => ({ input: bytes(input), expected: bytes(expected) })),
      };
    }
  }
}

function comparisonOf(checker) {
  const tolerance = { absolute: checker.abs, relative: checker.rel };
  switch (checker.kind) {
    case 'program':
      return { kind: 'program', language: checker.language, source: checker.code };
    case 'float':
      return { kind: 'numbers', tolerance };
    case 'json':
      return { kind: 'json', tolerance };
    case 'unordered_tokens':
      return { kind: 'unordered', ignoreCase: checker.ignoreCase };
    default:
      return checker;
  }
}

function limitsOf(limits) {
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  return { ...defaultLimits, ...Object.fromEntries(given) };
}
