import { create } from '@bufbuild/protobuf';
import {
  CuratedProblemSchema,
  DeadLetterSchema,
  ProblemNormalizedSchema,
  ProblemRawSchema,
  RolloutsGradedSchema,
} from '@tidemark/proto';
import { describe, expect, it } from 'vitest';
import { messageJson } from './message-json.ts';

const secret = (text: string) => ({ sha256: 'a'.repeat(64), sizeBytes: 6n, inline: new TextEncoder().encode(text) });

describe('a record in a dump', () => {
  it('keeps hash and size of contents, and not the contents, wherever they stand', () => {
    const content = {
      title: 'T',
      statement: secret('secret'),
      testSuite: secret('secret'),
      starterCode: 'def secret(): ...',
      entryPoint: 'secret',
      solutions: [{ language: 'python', source: secret('secret') }],
    };
    const raw = create(ProblemRawSchema, { problemId: 'p', original: secret('secret'), content });
    const shown = JSON.stringify(messageJson(ProblemRawSchema, raw));
    expect(shown).not.toContain(Buffer.from('secret').toString('base64'));
    expect(shown).not.toMatch(/inline|secret/);
    expect(shown).toContain('"sizeBytes":"6"');
    expect(raw.content?.statement?.inline).toBeDefined();
    expect(messageJson(ProblemNormalizedSchema, create(ProblemNormalizedSchema, { content }))).toBeDefined();
    expect(messageJson(CuratedProblemSchema, create(CuratedProblemSchema, { publicTests: secret('s') }))).toBeDefined();
  });

  it('keeps everything else', () => {
    const graded = create(RolloutsGradedSchema, { group: { groupId: 'g', version: 2 }, verdicts: [{ verdict: 1 }] });
    expect(messageJson(RolloutsGradedSchema, graded)).toEqual({
      group: { groupId: 'g', version: 2 },
      verdicts: [{ verdict: 'VERDICT_ACCEPTED' }],
    });
  });

  it('leaves the bytes of dead letters out', () => {
    const value = new TextEncoder().encode('secret');
    const letter = create(DeadLetterSchema, { topic: 't', value, headers: { ce_id: value }, errorCode: 'x' });
    expect(messageJson(DeadLetterSchema, letter)).toEqual({ topic: 't', errorCode: 'x' });
  });
});
