import type { RecordAttempt, RolloutRecord } from '@tidemark/formats';
import { groupId } from '@tidemark/identity';
import { describe, expect, it } from 'vitest';
import { decideGroup, type GroupContext } from './decide-group.ts';

const attempt = (fields: Partial<RecordAttempt> = {}): RecordAttempt => ({
  output: 'x',
  promptTokens: undefined,
  outputTokens: undefined,
  truncated: false,
  seed: undefined,
  verdict: undefined,
  ...fields,
});
const group = (fields: Partial<RolloutRecord> = {}): RolloutRecord => ({
  groupId: groupId('g'),
  target: 't',
  targetVersion: undefined,
  checkpoint: 'c',
  problemId: '0'.repeat(32),
  problemVersion: undefined,
  purpose: 'train',
  lease: '',
  promptSha256: '',
  attempts: [attempt()],
  suiteHash: '',
  judgeVersion: '',
  ...fields,
});
const context = (fields: Partial<GroupContext> = {}): GroupContext => ({
  problemVersion: 2,
  checkpointTargetVersion: 1,
  groupSizes: new Map([
    [1, 8],
    [2, 4],
  ]),
  ...fields,
});
const verdicts = { attempts: [attempt({ verdict: 'accepted' })] };
const verdictsAlone = { attempts: [attempt({ verdict: 'accepted', output: undefined })] };
const graded = (problemVersion: number) => ({ kind: 'graded', targetVersion: 2, problemVersion });

describe('a group of attempts', () => {
  it.each<[string, RolloutRecord, boolean, GroupContext, object]>([
    ['with outputs is graded here', group(), false, context(), { kind: 'submit', targetVersion: 2 }],
    [
      'takes the target version that it names',
      group({ targetVersion: 1 }),
      false,
      context(),
      { kind: 'submit', targetVersion: 1 },
    ],
    ['of a trusted grader counts as it is', group(verdicts), true, context(), graded(2)],
    ['of a trusted grader needs no outputs', group(verdictsAlone), true, context(), graded(2)],
    ['keeps the problem version that it names', group({ ...verdicts, problemVersion: 1 }), true, context(), graded(1)],
    ['of an untrusted grader is graded again', group(verdicts), false, context(), { kind: 'submit', targetVersion: 2 }],
    [
      'of a trusted one without verdicts is graded here',
      group(),
      true,
      context(),
      { kind: 'submit', targetVersion: 2 },
    ],
    ['waits for its problem', group(), false, context({ problemVersion: 0 }), { kind: 'park', missing: 'problem' }],
    ['waits for its target', group(), false, context({ groupSizes: new Map() }), { kind: 'park', missing: 'target' }],
    [
      'waits for a later target version',
      group({ targetVersion: 3 }),
      false,
      context(),
      { kind: 'park', missing: 'target' },
    ],
    [
      'waits for the version in which its checkpoint was made',
      group(),
      false,
      context({ checkpointTargetVersion: 3 }),
      { kind: 'park', missing: 'target' },
    ],
    [
      'waits for its checkpoint',
      group(),
      false,
      context({ checkpointTargetVersion: undefined }),
      { kind: 'park', missing: 'checkpoint' },
    ],
  ])('%s', (_, record, trusted, known, decision) => {
    expect(decideGroup(record, trusted, known)).toEqual(decision);
  });

  it.each<[string, RolloutRecord, string]>([
    ['an untrusted grader sends no outputs', group(verdictsAlone), 'untrusted_grade'],
    [
      'it has more attempts than the target',
      group({ attempts: Array.from({ length: 5 }, () => attempt()) }),
      'group_too_large',
    ],
    ['its version does not exist', group({ problemVersion: 3 }), 'unknown_version'],
  ])('is refused when %s', (_, record, code) => {
    const decision = decideGroup(record, false, context());
    expect(decision.kind === 'refuse' && decision.code).toBe(code);
  });
});
