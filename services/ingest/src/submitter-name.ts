import { verifySubmitterMac } from '@tidemark/identity';
import type { Submitter } from '@tidemark/proto';
import { UNVERIFIED } from '@tidemark/stage-runtime';

/** Who stands behind a submission, as far as it can be known. */
export interface KnownSubmitter {
  /** The gateway's name for them; `unverified:<name>` for whoever writes to the intake topics themselves. */
  readonly name: string;
  readonly trustedToGrade: boolean;
}

/**
 * Takes the gateway's word alone: names and trust of a submission whose MAC is not the gateway's are hearsay.
 *
 * @param secret shared with the gateway; empty when there is none, and then nobody is known
 * @param payload the record's bytes, which the MAC covers
 */
export function knownSubmitter(submitter: Submitter | undefined, payload: Uint8Array, secret: string): KnownSubmitter {
  const name = submitter?.name ?? '';
  if (submitter && secret !== '' && submitter.gatewayMac.length > 0) {
    const submission = { submitter: name, trustedToGrade: submitter.trustedToGrade, payload };
    if (verifySubmitterMac(secret, submission, submitter.gatewayMac)) {
      return { name, trustedToGrade: submitter.trustedToGrade };
    }
  }
  return { name: `${UNVERIFIED}${name}`, trustedToGrade: false };
}
