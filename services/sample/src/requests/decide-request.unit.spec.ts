import { create } from '@bufbuild/protobuf';
import { PayloadSchema, RolloutsRequestedSchema, TargetDeclaredSchema } from '@tidemark/proto';
import { describe, expect, it } from 'vitest';
import { decideRequest } from './decide-request.ts';

const asked = (fields: object = {}) =>
  create(RolloutsRequestedSchema, {
    target: 't',
    targetVersion: 2,
    problemId: 'p',
    version: 3,
    attempts: 8,
    ...fields,
  });
const declared = (version: number, endpointUrl = 'http://127.0.0.1:8000/v1') =>
  create(TargetDeclaredSchema, { target: 't', version, endpointUrl });
const problem = (version: number, withdrawnVersion = 0) => ({
  problemId: 'p',
  version,
  withdrawnVersion,
  statement: create(PayloadSchema),
  starterCode: '',
  entryPoint: '',
  language: 'python',
});

describe('a request for attempts', () => {
  it('is asked when its problem and its target are known', () => {
    const decision = decideRequest(asked(), [declared(1), declared(2)], problem(3));
    expect(decision.kind === 'ask' && decision.target.version).toBe(2);
  });

  it('takes the newest version of target and problem where it names none', () => {
    const decision = decideRequest(asked({ targetVersion: 0, version: 0 }), [declared(4), declared(1)], problem(9));
    expect(decision.kind === 'ask' && [decision.target.version, decision.problem.version]).toEqual([4, 9]);
  });

  it('waits for a problem, a version of it, or a target that has not come by', () => {
    expect(decideRequest(asked(), [declared(2)], undefined)).toEqual({ kind: 'wait', for: 'problem' });
    expect(decideRequest(asked(), [declared(2)], problem(2))).toEqual({ kind: 'wait', for: 'problem' });
    expect(decideRequest(asked(), [declared(1)], problem(3))).toEqual({ kind: 'wait', for: 'target' });
  });

  it.each([
    ['no attempts', { attempts: 0 }, declared(2), problem(3), 'no_attempts'],
    ['no endpoint', {}, declared(2, ''), problem(3), 'no_endpoint'],
    ['an endpoint that is no web address', {}, declared(2, 'file:///etc/passwd'), problem(3), 'bad_endpoint'],
    ['a password in the address', {}, declared(2, 'http://me:secret@127.0.0.1/v1'), problem(3), 'bad_endpoint'],
    ['a newer version of the problem', {}, declared(2), problem(4), 'superseded'],
    ['a withdrawn problem', {}, declared(2), problem(3, 3), 'withdrawn'],
  ])('is refused for %s', (_, fields, target, known, reason) => {
    expect(decideRequest(asked(fields), [target], known)).toEqual({ kind: 'refuse', reason });
  });

  it('is asked again after a new version followed a withdrawn one', () => {
    expect(decideRequest(asked(), [declared(2)], problem(3, 2)).kind).toBe('ask');
  });
});
