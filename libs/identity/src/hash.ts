import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** SHA-256 of text (as UTF-8) or bytes: 64 lower-case hexadecimal digits. */
export function sha256Hex(content: string | Uint8Array): string {
  return bytesToHex(sha256(bytesOf(content)));
}

/** HMAC-SHA-256: 64 lower-case hexadecimal digits. Text is taken as UTF-8. */
export function hmacSha256Hex(key: string | Uint8Array, content: string | Uint8Array): string {
  return bytesToHex(hmac(sha256, bytesOf(key), bytesOf(content)));
}

/**
 * SHA-256 over a list of fields, each prefixed by its byte length, so that moving a character from one field to the
 * next changes the hash: 64 lower-case hexadecimal digits.
 */
export function hashOfFields(...fields: readonly (string | Uint8Array)[]): string {
  const hash = sha256.create();
  for (const field of fields) {
    const bytes = bytesOf(field);
    hash.update(utf8ToBytes(`${bytes.length}:`));
    hash.update(bytes);
  }
  return bytesToHex(hash.digest());
}

/** Compares two hexadecimal strings in a time that does not depend on where they differ. */
export function equalHex(left: string, right: string): boolean {
  let difference = left.length ^ right.length;
  for (let i = 0; i < left.length; i++) difference |= left.charCodeAt(i) ^ right.charCodeAt(i);
  return difference === 0;
}

/**
 * A number in [0, 1) drawn from a hash, for thresholds such as the held-out share: the first 52 bits of the hash
 * as a fraction. Equal parts give equal numbers on every machine.
 */
export function unitFraction(...fields: readonly string[]): number {
  return Number.parseInt(hashOfFields(...fields).slice(0, 13), 16) / 2 ** 52;
}

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? utf8ToBytes(content) : content;
}
