import { create, toBinary } from '@bufbuild/protobuf';
import { sha256Hex } from '@tidemark/identity';
import {
  type AnswerForm,
  CheckerKind,
  ProblemUniqueSchema,
  RolloutsSubmittedSchema,
  Split,
  TargetDeclaredSchema,
  TestForm,
  type TestSuite,
  TestSuiteSchema,
} from '@tidemark/proto';

const utf8 = new TextEncoder();
export const payload = (content: string | Uint8Array) => {
  const inline = typeof content === 'string' ? utf8.encode(content) : content;
  return { sha256: sha256Hex(inline), sizeBytes: BigInt(inline.length), inline };
};

export const PROMPT = 'def double(x):\n    """Twice x."""\n';
export const asserting = (...code: string[]) =>
  create(TestSuiteSchema, {
    form: TestForm.ASSERT_SCRIPT,
    language: 'python',
    entryPoint: 'double',
    checker: { kind: CheckerKind.ASSERTIONS },
    tests: code.map((one, index) => ({
      name: String(index + 1),
      body: { case: 'asserts' as const, value: { code: one } },
    })),
  });
export const adding = create(TestSuiteSchema, {
  form: TestForm.STDIN,
  checker: { kind: CheckerKind.TOKENS },
  tests: [
    { name: 'small', body: { case: 'stdin', value: { input: utf8.encode('1 2\n'), expected: utf8.encode('3\n') } } },
    { name: 'secret', body: { case: 'stdin', value: { input: utf8.encode('40 2\n'), expected: utf8.encode('42\n') } } },
  ],
});
export const SUM = 'print(sum(map(int, input().split())))\n';

export function unique(
  problemId: string,
  suite: TestSuite | undefined,
  references: string[],
  fields: { version?: number; split?: Split; starterCode?: string; language?: string; languages?: string[] } = {},
) {
  const { version = 1, split = Split.TRAIN, starterCode = '', language = 'python', languages = ['python'] } = fields;
  return create(ProblemUniqueSchema, {
    problemId,
    version,
    clusterId: problemId,
    split,
    content: {
      ...(suite ? { testSuite: payload(toBinary(TestSuiteSchema, suite)), testForm: suite.form } : {}),
      starterCode,
      entryPoint: suite?.entryPoint ?? '',
      languages,
      solutions: references.map((code) => ({ source: payload(code), language, claimedRight: true })),
    },
  });
}

export const target = (name: string, answerForm: AnswerForm) =>
  create(TargetDeclaredSchema, { target: name, version: 1, answerForm, sampling: { stopSequences: ['\ndef'] } });

export function group(groupId: string, problemId: string, targetName: string, outputs: string[], version = 0) {
  return create(RolloutsSubmittedSchema, {
    group: { groupId, problemId, version, target: targetName, targetVersion: 1, checkpoint: 'base' },
    attempts: outputs.map((output, index) => ({ index, output: payload(output) })),
    submitter: { name: 'lab' },
  });
}
