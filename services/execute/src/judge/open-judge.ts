import { join } from 'node:path';
import { detectLanguages, type LanguageOptions } from '../languages/detect-languages.ts';
import type { LanguageProfile } from '../languages/language-profile.ts';
import type { BubblewrapOptions } from '../sandbox/bubblewrap/bubblewrap-sandbox.ts';
import type { SandboxReport } from '../sandbox/sandbox.ts';
import { WarmSandbox } from '../sandbox/warm/warm-sandbox.ts';
import { BuildCache } from './build-cache.ts';
import { buildFolder } from './build-folder.ts';
import { Judge } from './judge.ts';

export type OpenJudgeOptions = Omit<LanguageOptions, 'folder'> &
  Omit<BubblewrapOptions, 'readOnlyFolders'> & {
    /** Whether tests start in copies of what waits. Default `warm`. */
    readonly interpreters?: 'warm' | 'cold';
    /** Folder of compiled programs. Default: the user's own below the temporary folder. */
    readonly buildFolder?: string;
    /** Most bytes of compiled programs kept. Default 1 GiB. */
    readonly maxBuildBytes?: number;
    /** Told each time that nothing could be had to wait, with the reason. */
    readonly onCold?: (reason: string) => void;
  };

export type OpenedJudge =
  | {
      readonly kind: 'open';
      readonly judge: Judge;
      readonly languages: readonly LanguageProfile[];
      /** Languages whose compiler is there and does not work in the sandbox, with what it said. */
      readonly broken: readonly { readonly language: string; readonly reason: string }[];
      readonly report: Extract<SandboxReport, { ready: true }>;
      close(): Promise<void>;
    }
  | { readonly kind: 'closed'; readonly reason: string; readonly languages: readonly LanguageProfile[] };

/** A judge with all that this machine has, its isolation tried; `closed` where programs can't be isolated. */
export async function openJudge(options: OpenJudgeOptions = {}): Promise<OpenedJudge> {
  const { interpreters = 'warm', maxBuildBytes = 1024 ** 3, onCold = () => undefined } = options;
  const folder = await buildFolder(options.buildFolder ?? '').catch((error: Error) => error);
  if (folder instanceof Error) return { kind: 'closed', reason: folder.message, languages: [] };
  const detected = await detectLanguages({ ...options, folder });
  const waiting = [...new Set(detected.flatMap(({ warm }) => (warm && interpreters === 'warm' ? [warm] : [])))];
  const readOnlyFolders = [...new Set(detected.flatMap((profile) => profile.readOnlyFolders))];
  const sandbox = new WarmSandbox({ ...options, readOnlyFolders }, waiting, onCold);
  const report = await sandbox.check();
  if (!report.ready) {
    await sandbox.close();
    return { kind: 'closed', reason: report.reason, languages: detected };
  }
  const cache = new BuildCache(join(folder, 'programs'), maxBuildBytes);
  const trial = new Judge(sandbox, detected, cache);
  const tried = await Promise.all(detected.map(async (profile) => ({ profile, reason: await trial.trial(profile) })));
  const languages = tried.filter(({ reason }) => reason === undefined).map(({ profile }) => profile);
  const broken = tried.flatMap(({ profile, reason }) =>
    reason === undefined ? [] : [{ language: profile.language, reason }],
  );
  const judge = broken.length === 0 ? trial : new Judge(sandbox, languages, cache);
  return { kind: 'open', judge, languages, broken, report, close: () => sandbox.close() };
}
