import { create } from '@bufbuild/protobuf';
import { submitterMac } from '@tidemark/identity';
import { SubmitterSchema } from '@tidemark/proto';
import { describe, expect, it } from 'vitest';
import { knownSubmitter } from './submitter-name.ts';

const payload = new TextEncoder().encode('{"x":1}');
const vouched = (name: string, trustedToGrade: boolean, secret = 'secret') =>
  create(SubmitterSchema, {
    name,
    trustedToGrade,
    gatewayMac: submitterMac(secret, { submitter: name, trustedToGrade, payload }),
  });

describe('a submitter', () => {
  it('is known, and trusted, by the word of the gateway', () => {
    expect(knownSubmitter(vouched('lab', true), payload, 'secret')).toEqual({ name: 'lab', trustedToGrade: true });
    expect(knownSubmitter(vouched('lab', false), payload, 'secret')).toEqual({ name: 'lab', trustedToGrade: false });
  });

  it.each([
    ['another secret', vouched('lab', true, 'guess'), 'secret', payload],
    ['no secret here', vouched('lab', true), '', payload],
    ['no MAC', create(SubmitterSchema, { name: 'lab', trustedToGrade: true }), 'secret', payload],
    ['a MAC of another record', vouched('lab', true), 'secret', new TextEncoder().encode('{"x":2}')],
    ['trust that was added', { ...vouched('lab', false), trustedToGrade: true }, 'secret', payload],
  ])('is hearsay with %s', (_, submitter, secret, bytes) => {
    expect(knownSubmitter(submitter, bytes, secret)).toEqual({ name: 'unverified:lab', trustedToGrade: false });
  });
});
