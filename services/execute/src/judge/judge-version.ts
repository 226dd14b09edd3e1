import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { defaultLimits } from '@tidemark/judging';
import type { LanguageProfile } from '../languages/language-profile.ts';
import type { AccountingMode } from '../sandbox/sandbox.ts';

/** Raised by hand whenever a change may turn a verdict: comparison, extraction, limits, order of decision. */
const POLICY = 4;

/**
 * Names everything that may turn a verdict: policy, default limits, the languages with their versions, flags and
 * harnesses, and whether control groups hold the limits. 16 hex.
 *
 * Control groups of either version measure and hold alike, so that machines of both kinds agree; without them memory is
 * held a process at a time and ends as a runtime error, which is another judge.
 */
export function judgeVersionOf(languages: readonly LanguageProfile[], accounting: AccountingMode | undefined): string {
  const profiles = languages.map(({ language, version, limitsFactor, fingerprint }) => {
    return [language, version, limitsFactor, fingerprint];
  });
  const limits = accounting === 'rlimits' ? 'a process at a time' : 'a run together';
  const text = JSON.stringify({ POLICY, defaultLimits, limits, profiles: profiles.sort() });
  return bytesToHex(sha256(utf8ToBytes(text))).slice(0, 16);
}
