import { z } from 'zod';
import { name, recordId, text } from '../json/fields.ts';
import { readFields } from '../json/read-fields.ts';
import { limits } from '../limits.ts';
import type { ProblemFormat } from './problem-format.ts';
import { noLimits } from './problem-record.ts';

const schema = z.strictObject({
  task_id: recordId(),
  prompt: text(limits.starterCodeBytes),
  entry_point: name(limits.nameCharacters).optional(),
  canonical_solution: text(limits.codeBytes).optional(),
  test: text(limits.codeBytes).optional(),
});

const holds = {
  task_id: 'the id of the record, such as "HumanEval/0"',
  prompt: 'the signature and docstring that a completion continues',
  entry_point: 'the name of the function that the test calls',
  canonical_solution: 'the code that continues the prompt',
  test: 'Python that defines check(candidate)',
};

/** HumanEval as OpenAI published it (Chen et al. 2021): completions of a Python function. */
export const humanEval: ProblemFormat = {
  name: 'humaneval',
  namespace: 'humaneval',
  namespaceField: undefined,
  idField: 'task_id',
  rawAt: new Set(),
  recognises: (fields) =>
    fields.has('task_id') &&
    fields.has('prompt') &&
    (fields.has('entry_point') || fields.has('canonical_solution') || fields.has('test')),

  read(record, defaults) {
    const read = readFields(schema, record, holds);
    if (read.kind === 'faulty') return read;
    const { task_id, prompt, entry_point, canonical_solution, test } = read.value;
    if (test !== undefined && entry_point === undefined) {
      return {
        kind: 'faulty',
        faults: [
          { code: 'missing_field', field: 'entry_point', reason: 'is missing', advice: `Add it: ${holds.entry_point}` },
        ],
      };
    }
    return {
      kind: 'read',
      warnings: read.warnings,
      value: {
        format: 'humaneval',
        namespace: defaults.namespace ?? 'humaneval',
        recordId: task_id,
        origin: {
          kind: defaults.originKind ?? 'real',
          licence: defaults.licence ?? 'MIT',
          url: '',
          platform: '',
          difficultyLabel: '',
          publishedAt: undefined,
          scrapedAt: undefined,
        },
        title: '',
        statement: prompt,
        taskKind: 'function',
        language: 'python',
        starterCode: prompt,
        entryPoint: entry_point ?? '',
        tests:
          test === undefined
            ? undefined
            : {
                form: 'assert',
                preparation: '',
                cases: [{ code: `${test}\n\ncheck(${entry_point})\n`, example: false }],
              },
        references:
          canonical_solution === undefined
            ? []
            : [{ code: prompt + canonical_solution, language: 'python', author: 'publisher' }],
        knownWrong: [],
        limits: noLimits,
        facets: {},
      },
    };
  },
};
