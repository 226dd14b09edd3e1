import type { Warning } from '../../faults.ts';
import { languageOf } from '../languages.ts';
import { byName, textOf } from '../package-text.ts';
import type { PackageFiles, PackageSubmission } from '../problem-package.ts';

type Expected = PackageSubmission['expected'];

/** What programs in a folder of `submissions` earn. */
const FOLDERS: Readonly<Record<string, Expected>> = {
  accepted: ['accepted'],
  slow_accepted: ['accepted'],
  wrong_answer: ['wrong_answer'],
  time_limit_exceeded: ['time_limit'],
  run_time_error: ['runtime_error'],
};
/** DOMjudge's words, in a comment `@EXPECTED_RESULTS@: …`; they count for more than the folder. */
const WORDS: Readonly<Record<string, Expected[number]>> = {
  CORRECT: 'accepted',
  ACCEPTED: 'accepted',
  'WRONG-ANSWER': 'wrong_answer',
  WRONG_ANSWER: 'wrong_answer',
  TIMELIMIT: 'time_limit',
  TIME_LIMIT_EXCEEDED: 'time_limit',
  'RUN-ERROR': 'runtime_error',
  RUN_TIME_ERROR: 'runtime_error',
};

/** The programs in `submissions`; what is no program of one file is named and left out. @throws PackageRefusal */
export function readSubmissions({ files }: PackageFiles): {
  readonly submissions: readonly PackageSubmission[];
  readonly warnings: readonly Warning[];
} {
  const submissions: PackageSubmission[] = [];
  const programs = new Map<string, string[]>();
  for (const path of [...files.keys()].sort(byName)) {
    const [top, label, program] = path.split('/');
    if (top !== 'submissions' || label === undefined || program === undefined) continue;
    const name = `submissions/${label}/${program}`;
    programs.set(name, [...(programs.get(name) ?? []), path]);
  }
  const warnings: Warning[] = [];
  for (const [name, paths] of programs) {
    const label = name.split('/')[1] as string;
    const [path] = paths as [string];
    if (paths.length > 1) {
      warnings.push({ code: 'unread_file', field: name, reason: `has ${paths.length} files and was left out` });
      continue;
    }
    const code = textOf(path, files.get(path) as Uint8Array);
    const language = languageOf(path, code);
    if (language === '') {
      warnings.push({
        code: 'unread_file',
        field: path,
        reason: 'is of a language that is not known and was left out',
      });
      continue;
    }
    submissions.push({ path, language, code, label, expected: expectedOf(label, code) });
  }
  return { submissions, warnings };
}

function expectedOf(label: string, code: string): Expected {
  const said = /@EXPECTED_RESULTS@:\s*([^\n*]+)/.exec(code)?.[1] ?? '';
  const words = said.split(/[\s,]+/).flatMap((word) => WORDS[word.toUpperCase()] ?? []);
  return words.length > 0 ? [...new Set(words)] : (FOLDERS[label] ?? []);
}
