import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';

/** What the gateway vouches for: who handed a record in, whether their grades count, and which bytes they handed in. */
export interface VouchedSubmission {
  /** Name of the token, as in `Submitter.name`. */
  readonly submitter: string;
  readonly trustedToGrade: boolean;
  /** The record as its submitter wrote it: the uncompressed bytes behind the `record` payload. */
  readonly payload: Uint8Array;
}

/**
 * The bytes that the gateway's MAC is computed over. Every field is prefixed by its length, so that moving a byte from
 * the name to the payload gives other bytes.
 */
export function submitterMacInput({ submitter, trustedToGrade, payload }: VouchedSubmission): Uint8Array {
  const name = utf8ToBytes(submitter);
  return concatBytes(
    utf8ToBytes(`tidemark-submitter-v1\n${name.length}:`),
    name,
    utf8ToBytes(`${trustedToGrade ? '1' : '0'}${payload.length}:`),
    payload,
  );
}

/** `Submitter.gateway_mac`: HMAC-SHA-256, 32 bytes. The gateway and ingest are started with the same secret. */
export function submitterMac(secret: string | Uint8Array, submission: VouchedSubmission): Uint8Array {
  const key = typeof secret === 'string' ? utf8ToBytes(secret) : secret;
  return hmac(sha256, key, submitterMacInput(submission));
}

/** True when `mac` is the gateway's over that submission; takes the same time wherever the two differ. */
export function verifySubmitterMac(
  secret: string | Uint8Array,
  submission: VouchedSubmission,
  mac: Uint8Array,
): boolean {
  const expected = submitterMac(secret, submission);
  let difference = mac.length ^ expected.length;
  for (let i = 0; i < expected.length; i++) difference |= (expected[i] ?? 0) ^ (mac[i] ?? 0);
  return difference === 0;
}
