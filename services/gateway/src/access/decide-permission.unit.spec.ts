import { describe, expect, it } from 'vitest';
import type { Caller, Role } from './caller.ts';
import { decidePermission } from './decide-permission.ts';

const caller = (roles: Role[], targets: string[] = []): Caller => ({
  name: 'spec',
  tokenId: 'id',
  roles: new Set(roles),
  targets: new Set(targets),
  trustedToGrade: false,
  mayReview: false,
  limitedAs: 'id',
});
const codeOf = (permission: ReturnType<typeof decidePermission>) =>
  permission.kind === 'allowed' ? 'allowed' : permission.code;
const ofTarget = { who: ['trainer', 'reviewer'], ofTarget: true } as const;

describe('permission', () => {
  it('is everything for operators, and nothing beyond its rule for others', () => {
    expect(codeOf(decidePermission(caller(['operator']), { who: [] }, undefined))).toBe('allowed');
    for (const role of ['producer', 'trainer', 'reviewer'] as const) {
      expect(codeOf(decidePermission(caller([role], ['mine']), { who: [] }, undefined))).toBe('role_missing');
    }
    expect(codeOf(decidePermission(caller([]), { who: 'everyone' }, undefined))).toBe('allowed');
  });

  it('gives trainers the targets that their token names', () => {
    const trainer = caller(['trainer'], ['mine']);
    expect(codeOf(decidePermission(trainer, ofTarget, 'mine'))).toBe('allowed');
    expect(codeOf(decidePermission(trainer, ofTarget, 'other'))).toBe('foreign_target');
    expect(codeOf(decidePermission(trainer, ofTarget, undefined))).toBe('foreign_target');
  });

  it('shows reviewers every target, where reviewers may read it', () => {
    expect(codeOf(decidePermission(caller(['reviewer']), ofTarget, 'any'))).toBe('allowed');
    const used = { who: ['trainer'], ofTarget: true } as const;
    expect(codeOf(decidePermission(caller(['reviewer', 'trainer'], ['mine']), used, 'any'))).toBe('foreign_target');
  });
});
