import { z } from 'zod';
import { name, recordId, text } from '../json/fields.ts';
import { readFields } from '../json/read-fields.ts';
import { limits } from '../limits.ts';
import type { ProblemFormat } from './problem-format.ts';
import { noLimits } from './problem-record.ts';
import { stdinTests } from './sandbox-tests.ts';

const schema = z.strictObject({
  hash_id: recordId(),
  dataset: name(limits.nameCharacters, 0).default(''),
  source: name(limits.nameCharacters, 0).default(''),
  responses_create_params: z.object({
    input: z.array(z.object({ role: z.string(), content: text(limits.statementBytes) })).min(1),
  }),
  verifier_metadata: z.object({
    unit_tests: z.object({
      inputs: z.array(text(limits.recordBytes)).max(limits.cases),
      outputs: z.array(text(limits.recordBytes)).max(limits.cases),
    }),
  }),
});

const holds = {
  hash_id: 'the id of the row',
  'responses_create_params.input': 'the messages of the prompt',
  'verifier_metadata.unit_tests': 'an object with inputs and outputs',
};

/** Rows of NeMo Gym's code environment: the prompt as it is sent, tests by standard input. */
export const nemoGym: ProblemFormat = {
  name: 'nemo_gym',
  namespace: 'nemo_gym',
  namespaceField: undefined,
  idField: 'hash_id',
  rawAt: new Set(),
  recognises: (fields) => fields.has('responses_create_params') && fields.has('verifier_metadata'),

  read(record, defaults) {
    const read = readFields(schema, record, holds);
    if (read.kind === 'faulty') return read;
    const { hash_id, dataset, source, responses_create_params, verifier_metadata } = read.value;
    const { inputs, outputs } = verifier_metadata.unit_tests;
    if (inputs.length !== outputs.length) {
      const reason = `has ${inputs.length} inputs and ${outputs.length} outputs`;
      const field = 'verifier_metadata.unit_tests';
      return {
        kind: 'faulty',
        faults: [{ code: 'contradiction', field, reason, advice: 'Give each input its output' }],
      };
    }
    const found = stdinTests(inputs.map((input, at) => ({ input, expected: outputs[at] ?? '' })));
    if (found.kind === 'faulty') return found;
    return {
      kind: 'read',
      warnings: read.warnings,
      value: {
        format: 'nemo_gym',
        namespace: defaults.namespace ?? 'nemo_gym',
        recordId: hash_id,
        origin: {
          kind: defaults.originKind ?? 'unknown',
          licence: defaults.licence ?? '',
          url: '',
          platform: source,
          difficultyLabel: '',
          publishedAt: undefined,
          scrapedAt: undefined,
        },
        title: '',
        statement: responses_create_params.input.map(({ content }) => content).join('\n\n'),
        taskKind: 'program',
        language: 'python',
        starterCode: '',
        entryPoint: '',
        tests: inputs.length === 0 ? undefined : found.tests,
        references: [],
        knownWrong: [],
        limits: noLimits,
        facets: dataset === '' ? {} : { dataset },
      },
    };
  },
};
