import type { LanguageProfile } from '../languages/language-profile.ts';
import { BubblewrapSandbox } from '../sandbox/bubblewrap/bubblewrap-sandbox.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { WarmSandbox } from '../sandbox/warm/warm-sandbox.ts';

/** Host users of this process's sandboxes: of specs that run at once, each can tell its own programs from others'. */
export const UIDS = { first: 64_200 + (Number(process.env.VITEST_POOL_ID ?? 0) % 7) * 100, count: 100 };

/** The ways in which a test may run; whatever judges has to judge alike by each. */
export const WAYS: readonly (readonly [string, (...profiles: LanguageProfile[]) => Sandbox])[] = [
  [
    'a process of its own a test',
    (...profiles) => new BubblewrapSandbox({ readOnlyFolders: foldersOf(profiles), firstUid: UIDS.first }),
  ],
  [
    'a copy of what waits a test',
    (...profiles) =>
      new WarmSandbox(
        { readOnlyFolders: foldersOf(profiles), firstUid: UIDS.first },
        [...new Set(profiles.flatMap(({ warm }) => (warm ? [warm] : [])))],
        (reason) => {
          throw new Error(`not by a copy: ${reason}`);
        },
      ),
  ],
];

function foldersOf(profiles: readonly LanguageProfile[]): string[] {
  return [...new Set(profiles.flatMap(({ readOnlyFolders }) => readOnlyFolders))];
}
