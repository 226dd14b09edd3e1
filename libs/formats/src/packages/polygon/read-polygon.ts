import { XMLParser } from 'fast-xml-parser';
import type { Warning } from '../../faults.ts';
import { settingsOf, textOf } from '../package-text.ts';
import {
  type PackageFiles,
  type PackageOptions,
  type PackageSubmission,
  type ReadPackage,
  refusal,
} from '../problem-package.ts';
import { toRecord } from '../to-record.ts';
import { checkerOf } from './checker.ts';
import { attribute, child, children, type Node, numberOf, textOfNode } from './xml.ts';

const XML = 'problem.xml';
const TAGS: Readonly<Record<string, PackageSubmission['expected']>> = {
  main: ['accepted'],
  accepted: ['accepted'],
  'wrong-answer': ['wrong_answer'],
  'presentation-error': ['wrong_answer'],
  'time-limit-exceeded': ['time_limit'],
  'memory-limit-exceeded': ['memory_limit'],
  'time-limit-exceeded-or-accepted': ['accepted', 'time_limit'],
  'time-limit-exceeded-or-memory-limit-exceeded': ['time_limit', 'memory_limit'],
  failed: ['runtime_error'],
  rejected: ['wrong_answer', 'time_limit', 'runtime_error', 'memory_limit'],
};

/** A package of Codeforces Polygon: problems of standard input and output. @throws PackageRefusal */
export function readPolygon(given: PackageFiles, options: PackageOptions): ReadPackage & { kind: 'package' } {
  const { files } = given;
  const problem = readXml(files.get(XML) as Uint8Array);
  const judging = child(problem, 'judging');
  const [testset, ...others] = children(child(judging, 'testset') ? judging : undefined, 'testset');
  if (testset === undefined)
    throw refusal('missing_field', `${XML}: judging`, 'has no testset', 'Build the package in Polygon');
  if (child(child(problem, 'assets'), 'interactor') !== undefined) {
    throw refusal(
      'unsupported',
      XML,
      'says that the problem is interactive',
      'Problems that are passed or failed by input and output are read',
    );
  }
  for (const name of ['input-file', 'output-file']) {
    const file = attribute(judging, name);
    if (file !== '') throw refusal('unsupported', XML, `wants the file ${file}`, 'Standard input and output are read');
  }
  const warnings: Warning[] = others.map((one) => ({
    code: 'unread_file',
    field: XML,
    reason: `the testset ${attribute(one, 'name')} was left out`,
  }));
  const cases = casesOf(given, testset, options, warnings);
  const submissions = children(child(child(problem, 'assets'), 'solutions'), 'solution').flatMap((solution) =>
    submissionOf(given, solution, warnings),
  );
  const seconds = numberOf(child(testset, 'time-limit')) / 1000;
  const memory = numberOf(child(testset, 'memory-limit'));
  const statement = statementOf(given, problem);
  const name = children(child(problem, 'names'), 'name').find(
    (one) => attribute(one, 'language') === statement.written,
  );
  const record = toRecord(
    {
      id: attribute(problem, 'short-name') || given.name,
      title: attribute(name, 'value'),
      statement,
      source: 'polygon',
      url: attribute(problem, 'url'),
      licence: '',
      facets: {
        keywords: children(child(problem, 'tags'), 'tag')
          .map((tag) => attribute(tag, 'value'))
          .join(' '),
      },
      cases,
      checker: checkerOf(given, child(child(problem, 'assets'), 'checker')),
      submissions,
      limits: {
        ...(seconds > 0 ? { cpu_ms: Math.round(seconds * 1000) } : {}),
        ...(memory > 0 ? { memory_bytes: memory } : {}),
      },
    },
    options,
  );
  return {
    kind: 'package',
    format: 'polygon',
    id: given.name,
    record,
    submissions,
    timing: { limitSeconds: seconds > 0 ? seconds : undefined, multiplier: 2 },
    warnings,
  };
}

function readXml(bytes: Uint8Array): Node {
  const text = settingsOf(XML, bytes);
  if (/<!DOCTYPE|<!ENTITY/i.test(text)) throw refusal('unsupported', XML, 'defines entities', 'Remove its DOCTYPE');
  try {
    const parser = new XMLParser({
      ignoreAttributes: false,
      attributeNamePrefix: '@',
      parseAttributeValue: false,
      parseTagValue: false,
    });
    const root = child(parser.parse(text, true) as Node, 'problem');
    if (root !== undefined) return root;
  } catch {
    // Said below.
  }
  throw refusal('bad_value', XML, 'is not the XML of a problem', 'Build the package in Polygon');
}

function casesOf({ files }: PackageFiles, testset: Node, options: PackageOptions, warnings: Warning[]) {
  const tests = children(child(testset, 'tests'), 'test');
  const [inputs, answers] = [
    textOfNode(child(testset, 'input-path-pattern')),
    textOfNode(child(testset, 'answer-path-pattern')),
  ];
  const missing: string[] = [];
  const cases = tests.flatMap((test, at) => {
    const [path, answerPath] = [at1(inputs, at), at1(answers, at)];
    const [input, answer] = [files.get(path), files.get(answerPath)];
    if (input === undefined || answer === undefined) {
      missing.push(input === undefined ? path : answerPath);
      return [];
    }
    return [
      {
        name: String(at + 1),
        input: textOf(path, input),
        expected: textOf(answerPath, answer),
        example: attribute(test, 'sample') === 'true',
      },
    ];
  });
  if (missing.length === 0) return cases;
  const reason = `${missing.length} of ${tests.length} tests are not in the package (${missing.slice(0, 3).join(', ')} …)`;
  if (options.allowMissingTests !== true || cases.length === 0) {
    throw refusal(
      'missing_field',
      'tests',
      reason,
      'Build the full package in Polygon: it holds the tests that generators make',
    );
  }
  warnings.push({ code: 'unread_file', field: 'tests', reason });
  return cases;
}

/** `tests/%02d` for the test at an index. */
const at1 = (pattern: string, index: number): string =>
  pattern.replace(/%0?(\d*)d/, (_, width: string) => String(index + 1).padStart(Number(width || 0), '0'));

function submissionOf({ files }: PackageFiles, solution: Node, warnings: Warning[]): PackageSubmission[] {
  const source = child(solution, 'source');
  const path = attribute(source, 'path');
  const bytes = files.get(path);
  const type = attribute(source, 'type');
  const language = /^cpp/.test(type)
    ? 'cpp'
    : /^c\./.test(type)
      ? 'c'
      : /^python\.2/.test(type)
        ? 'python2'
        : /^python/.test(type)
          ? 'python'
          : (type.split('.')[0] ?? '').replaceAll(/[^a-z0-9]/g, '');
  if (bytes === undefined || language === '') {
    warnings.push({
      code: 'unread_file',
      field: path,
      reason: bytes === undefined ? 'is named and not there' : 'is of an unknown language',
    });
    return [];
  }
  const label = attribute(solution, 'tag');
  return [{ path, language, code: textOf(path, bytes), label, expected: TAGS[label] ?? [] }];
}

/** @throws PackageRefusal */
function statementOf({ files }: PackageFiles, problem: Node) {
  const all = children(child(problem, 'statements'), 'statement').filter(
    (one) => attribute(one, 'type') === 'application/x-tex' && files.has(attribute(one, 'path')),
  );
  const chosen = all.find((one) => attribute(one, 'language') === 'english') ?? all[0];
  if (chosen === undefined)
    throw refusal('missing_field', 'statements', 'hold no TeX', 'Build the package with its statements');
  const path = attribute(chosen, 'path');
  const written = attribute(chosen, 'language');
  return { text: textOf(path, files.get(path) as Uint8Array), markup: 'latex', language: written, written };
}
