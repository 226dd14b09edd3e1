import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { defaultLimits } from '@tidemark/judging';
import type { LanguageProfile } from '../languages/language-profile.ts';
import { PYTHON_HARNESS } from '../languages/python/harness.ts';
import { PYTHON_WARM_DRIVER } from '../languages/python/warm-driver.ts';

/** Raised by hand whenever a change may turn a verdict: comparison, extraction, limits, order of decision. */
const POLICY = 3;

/** Names everything that may turn a verdict: policy, harness, the driver of copies, default limits and the languages' versions. 16 hex. */
export function judgeVersionOf(languages: readonly LanguageProfile[]): string {
  const profiles = languages.map(({ language, version, limitsFactor }) => [language, version, limitsFactor]).sort();
  const text = JSON.stringify({ POLICY, PYTHON_HARNESS, PYTHON_WARM_DRIVER, defaultLimits, profiles });
  return bytesToHex(sha256(utf8ToBytes(text))).slice(0, 16);
}
