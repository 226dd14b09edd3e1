import { z } from 'zod';
import { recordId, text } from '../json/fields.ts';
import { readFields } from '../json/read-fields.ts';
import { limits } from '../limits.ts';
import type { ProblemFormat } from './problem-format.ts';
import { noLimits } from './problem-record.ts';

const schema = z.strictObject({
  task_id: recordId(),
  text: text(limits.statementBytes),
  code: text(limits.codeBytes).optional(),
  test_setup_code: text(limits.codeBytes).default(''),
  test_list: z.array(text(limits.codeBytes)).max(limits.cases).default([]),
  challenge_test_list: z.array(text(limits.codeBytes)).max(limits.cases).default([]),
});

const holds = {
  task_id: 'the id of the record, such as 601',
  text: 'the task in one sentence or more',
  code: 'a solution in Python',
  test_setup_code: 'Python that runs before the program',
  test_list: 'a list of assert statements',
  'test_list[]': 'one assert statement',
  challenge_test_list: 'a list of assert statements that are not shown',
  'challenge_test_list[]': 'one assert statement',
};

/** MBPP as Google published it (Austin et al. 2021): short Python tasks with three asserts each. */
export const mbpp: ProblemFormat = {
  name: 'mbpp',
  namespace: 'mbpp',
  namespaceField: undefined,
  idField: 'task_id',
  rawAt: new Set(),
  recognises: (fields) =>
    fields.has('task_id') && fields.has('text') && (fields.has('code') || fields.has('test_list')),

  read(record, defaults) {
    const read = readFields(schema, record, holds);
    if (read.kind === 'faulty') return read;
    const row = read.value;
    const caseOf = (example: boolean) => (assertion: string) => ({ code: `${assertion}\n`, example });
    const cases = [...row.test_list.map(caseOf(true)), ...row.challenge_test_list.map(caseOf(false))];
    return {
      kind: 'read',
      warnings: read.warnings,
      value: {
        format: 'mbpp',
        namespace: defaults.namespace ?? 'mbpp',
        recordId: row.task_id,
        origin: {
          kind: defaults.originKind ?? 'real',
          licence: defaults.licence ?? 'CC-BY-4.0',
          url: '',
          platform: '',
          difficultyLabel: '',
          publishedAt: undefined,
          scrapedAt: undefined,
        },
        title: '',
        statement: row.text,
        taskKind: 'function',
        language: 'python',
        starterCode: '',
        entryPoint: entryPointOf(row.code ?? '', row.test_list),
        tests: cases.length === 0 ? undefined : { form: 'assert', preparation: row.test_setup_code, cases },
        references: row.code === undefined ? [] : [{ code: row.code, language: 'python', author: 'publisher' }],
        knownWrong: [],
        limits: noLimits,
        facets: {},
      },
    };
  },
};

const FUNCTION = /^def[ \t]+([A-Za-z_]\w*)/gm;
const CLASS = /^class[ \t]+([A-Za-z_]\w*)/gm;
/** Begins at a word's start alone: a megabyte of letters is looked at once, not once a letter. */
const CALL = /\b([A-Za-z_]\w*)(?=[ \t]*\()/g;

/**
 * The one top-level function that the code defines and every test calls, or the one class where it is no function;
 * empty when there is none or more than one.
 */
export function entryPointOf(code: string, tests: readonly string[]): string {
  if (tests.length === 0) return '';
  const calls = tests.map((test) => namesIn(test, CALL));
  for (const definition of [FUNCTION, CLASS]) {
    const found = [...namesIn(code, definition)].filter((name) => calls.every((called) => called.has(name)));
    if (found.length > 0) return found.length === 1 ? (found[0] as string) : '';
  }
  return '';
}

function namesIn(text: string, pattern: RegExp): Set<string> {
  return new Set(Array.from(text.matchAll(pattern), (match) => match[1] as string));
}
