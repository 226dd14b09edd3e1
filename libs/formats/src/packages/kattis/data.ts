import type { Warning } from '../../faults.ts';
import { byName, textOf } from '../package-text.ts';
import { type PackageFiles, refusal } from '../problem-package.ts';
import { readYaml, wordsIn } from './settings.ts';

export interface KattisData {
  readonly cases: readonly {
    readonly name: string;
    readonly input: string;
    readonly expected: string;
    readonly example: boolean;
  }[];
  /** Flags that the groups give the output validator; undefined where they say nothing. */
  readonly validatorFlags: readonly string[] | undefined;
  readonly warnings: readonly Warning[];
}

const GROUP_FILES = new Set(['testdata.yaml', 'test_group.yaml']);
const FLAG_NAMES = ['output_validator_flags', 'output_validator_args'];

/**
 * Tests of `data/sample` and `data/secret`, with the groups in them, in the order in which they are judged. Of a
 * problem that is passed or failed as a whole, groups only order tests.
 *
 * @throws PackageRefusal
 */
export function readData({ files }: PackageFiles, allowMissing: boolean): KattisData {
  const paths = [...files.keys()].filter((path) => /^data\/(sample|secret)\//.test(path)).sort(inOrder);
  const odd = paths.find((path) => path.endsWith('.interaction') || path.endsWith('.args') || path.endsWith('.files'));
  if (odd !== undefined) {
    throw refusal(
      'unsupported',
      odd,
      'belongs to a problem that is more than input and output',
      'Only pass-fail problems of standard input and output are read',
    );
  }
  const cases = [];
  for (const path of paths) {
    if (!path.endsWith('.in')) continue;
    const answer = `${path.slice(0, -3)}.ans`;
    const expected = files.get(answer);
    if (expected === undefined) {
      throw refusal('missing_field', answer, 'is missing beside its input', 'Put the answer there');
    }
    cases.push({
      name: path.slice('data/'.length, -3),
      input: textOf(path, files.get(path) as Uint8Array),
      expected: textOf(answer, expected),
      example: path.startsWith('data/sample/'),
    });
  }
  const alone = paths.filter((path) => path.endsWith('.ans') && !files.has(`${path.slice(0, -4)}.in`));
  const [lone] = alone;
  if (lone === undefined) return { cases, validatorFlags: flagsOf({ files }), warnings: [] };
  const reason = `${alone.length} answers have no input beside them`;
  if (!allowMissing || cases.length === 0) {
    throw refusal('missing_field', `${lone.slice(0, -4)}.in`, `is missing: ${reason}`, 'Put the inputs there');
  }
  const warnings: Warning[] = [{ code: 'unread_file', field: 'data', reason: `${reason} and were left out` }];
  return { cases, validatorFlags: flagsOf({ files }), warnings };
}

/** One set of flags holds for all tests here; where groups differ, nothing would judge them rightly. */
function flagsOf({ files }: Pick<PackageFiles, 'files'>): readonly string[] | undefined {
  const given = new Map<string, readonly string[]>();
  for (const [path, bytes] of files) {
    if (!path.startsWith('data/') || !path.endsWith('.yaml')) continue;
    const settings = readYaml(path, bytes);
    for (const name of FLAG_NAMES) if (settings[name] !== undefined) given.set(path, wordsIn(settings, name));
    const isGroup = GROUP_FILES.has(path.split('/').at(-1) as string);
    if (!isGroup && settings['args'] !== undefined) {
      throw refusal('unsupported', path, 'gives the program arguments', 'Only standard input is read');
    }
  }
  const distinct = new Set([...given.values()].map((words) => words.join(' ')));
  if (distinct.size > 1) {
    throw refusal(
      'unsupported',
      [...given.keys()].join(', '),
      'give the output validator different flags',
      'One set of flags for all tests is read',
    );
  }
  return [...given.values()][0];
}

/** Samples first, then as names count within each group. */
function inOrder(a: string, b: string): number {
  const [x, y] = [a.split('/'), b.split('/')];
  for (let at = 0; at < Math.min(x.length, y.length); at++) {
    const order = byName(x[at] as string, y[at] as string);
    if (order !== 0) return order;
  }
  return x.length - y.length;
}
