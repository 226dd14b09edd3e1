import { z } from 'zod';
import { recordId, text } from '../json/fields.ts';
import { readFields } from '../json/read-fields.ts';
import { limits } from '../limits.ts';
import type { ProblemFormat } from './problem-format.ts';
import { noLimits, type ProblemFormatName } from './problem-record.ts';
import { jsonOf, readPackedTests, readStdinTests, type ReadTests, textIn } from './sandbox-tests.ts';

const schema = z.strictObject({
  id: recordId(),
  content: text(limits.statementBytes),
  test: text(limits.recordBytes),
  labels: text(limits.codeBytes).default('{}'),
  canonical_solution: text(limits.codeBytes).optional(),
  __internal_uuid__: z.string().optional(),
});

const holds = {
  id: 'the number or name of the row',
  content: 'the statement',
  test: 'the tests, as their publisher packs them',
  labels: 'a JSON text of labels',
};

/** What stands where a row has no solution. */
const NO_SOLUTION = 'import sys; sys.exit(0)';

/** Rows as SandboxFusion publishes sets: a statement, packed tests, labels. */
function sandboxFormat(
  formatName: ProblemFormatName,
  recognises: (fields: ReadonlySet<string>) => boolean,
  readTests: (text: string, field: string) => ReadTests,
): ProblemFormat {
  return {
    name: formatName,
    namespace: formatName,
    namespaceField: undefined,
    idField: 'id',
    rawAt: new Set(),
    recognises: (fields) =>
      ['id', 'content', 'test', 'labels'].every((field) => fields.has(field)) && recognises(fields),

    read(record, defaults) {
      const read = readFields(schema, record, holds);
      if (read.kind === 'faulty') return read;
      const { id, content, test, labels, canonical_solution } = read.value;
      const found = readTests(test, 'test');
      if (found.kind === 'faulty') return found;
      const label = (key: string) => textIn(jsonOf(labels), key) ?? '';
      const name = label('task_id') || label('name');
      const solution = canonical_solution === NO_SOLUTION ? undefined : canonical_solution;
      const language = label('programming_language') || 'python';
      return {
        kind: 'read',
        warnings: read.warnings,
        value: {
          format: formatName,
          namespace: defaults.namespace ?? formatName,
          recordId: id,
          origin: {
            kind: defaults.originKind ?? 'real',
            licence: defaults.licence ?? '',
            url: '',
            platform: (label('category') || label('source')).slice(0, limits.nameCharacters),
            difficultyLabel: label('difficulty').slice(0, limits.nameCharacters),
            publishedAt: undefined,
            scrapedAt: undefined,
          },
          title: name.slice(0, limits.titleCharacters),
          statement: content,
          taskKind: found.tests.form === 'call' ? 'function' : 'program',
          language,
          starterCode: '',
          entryPoint: found.entryPoint,
          tests: found.tests,
          references: solution === undefined ? [] : [{ code: solution, language, author: 'publisher' }],
          knownWrong: [],
          limits: noLimits,
          facets: {},
        },
      };
    },
  };
}

/** LiveCodeBench as SandboxFusion publishes it: tests are a packed pickle. */
export const liveCodeBench = sandboxFormat(
  'livecodebench',
  (fields) => fields.has('canonical_solution'),
  readPackedTests,
);

/** CodeContests (Li et al. 2022) as SandboxFusion publishes it: tests are a JSON text. */
export const codeContests = sandboxFormat(
  'code_contests',
  (fields) => !fields.has('canonical_solution'),
  readStdinTests,
);
