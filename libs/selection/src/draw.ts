import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * A number in [0, 1) that looks random and is the same for the same words: the first 48 bits of their SHA-256. A choice
 * made by it can be made again after a crash, and checked by others.
 */
export function drawOf(...words: readonly string[]): number {
  const digest = sha256(utf8ToBytes(words.join('\u0000')));
  let value = 0;
  for (let i = 0; i < 6; i++) value = value * 256 + (digest[i] ?? 0);
  return value / 2 ** 48;
}
