import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  CheckerKind,
  CuratedProblemSchema,
  PayloadSchema,
  ProblemVerifiedSchema,
  TestSuiteSchema,
} from '@tidemark/proto';
import { describe, expect, it } from 'vitest';
import { curatedContent, publicSuite } from './curated-content.ts';

const secret = 'assert solve(41) == 42';
const shown = 'assert solve(1) == 2';
const suite = toBinary(
  TestSuiteSchema,
  create(TestSuiteSchema, {
    entryPoint: 'solve',
    setupCode: 'ANSWER = "secret set-up"',
    checker: { kind: CheckerKind.PROGRAM, program: { sha256: 'x', inline: Buffer.from('secret checker') } },
    $unknown: [{ no: 1007, wireType: 2, data: Buffer.from('\x06secret') }],
    tests: [
      { name: '1', public: true, body: { case: 'asserts', value: { code: shown } } },
      { name: '2', public: false, body: { case: 'asserts', value: { code: secret } } },
    ],
  }),
);

describe('what a trainer gets of a problem', () => {
  it('holds the public tests and no hidden one', () => {
    const kept = publicSuite(suite);
    if (kept === undefined) throw new Error('public tests expected');
    expect(fromBinary(TestSuiteSchema, kept).tests.map((test) => test.name)).toEqual(['1']);
    for (const hidden of [secret, 'secret']) expect(Buffer.from(kept).includes(hidden)).toBe(false);
  });

  it('has no suite at all when every test is hidden', () => {
    const hidden = toBinary(TestSuiteSchema, create(TestSuiteSchema, { tests: [{ name: '1' }] }));
    expect(publicSuite(hidden)).toBeUndefined();
  });

  it('says whether a program could forge a pass', () => {
    for (const sharesProcess of [true, false])
      expect(curatedContent(create(ProblemVerifiedSchema, { sharesProcess }), undefined).sharesProcess).toBe(
        sharesProcess,
      );
  });

  it('holds neither solutions nor the judging suite', () => {
    const payload = (text: string) => create(PayloadSchema, { sha256: text, inline: Buffer.from(text) });
    const problem = create(ProblemVerifiedSchema, {
      problemId: 'p',
      suiteHash: 'suite',
      suite: payload(secret),
      content: {
        statement: payload('Add one.'),
        testSuite: payload(secret),
        solutions: [{ source: payload('def solve(n): return n + 1'), claimedRight: true }],
      },
    });
    const bytes = Buffer.from(toBinary(CuratedProblemSchema, curatedContent(problem, undefined)));
    expect(bytes.includes('Add one.')).toBe(true);
    expect(bytes.includes(secret)).toBe(false);
    expect(bytes.includes('def solve')).toBe(false);
  });
});
