import { textOf } from '../package-text.ts';
import { type PackageFiles, refusal } from '../problem-package.ts';

export interface PackageStatement {
  readonly text: string;
  /** `latex`, `markdown` or `html`. */
  readonly markup: string;
  /** As the file is named; empty where it isn't. */
  readonly language: string;
}

const FILE = /^(?:problem_statement|statement)\/problem(?:\.([a-zA-Z]{2,3}(?:[-_][a-zA-Z]+)?))?\.(tex|md)$/;

/** The statement as it is written, English where there is English. Nothing is converted. @throws PackageRefusal */
export function readStatement({ files }: PackageFiles): PackageStatement {
  const found = [...files.keys()].flatMap((path) => {
    const [, language = '', ending = ''] = FILE.exec(path) ?? [];
    return ending === '' ? [] : [{ path, language, ending }];
  });
  // English first, then none named, then by name; Markdown before TeX.
  const rank = ({ language, ending }: (typeof found)[number]) =>
    `${language === 'en' ? 0 : language === '' ? 1 : 2}${language}${ending === 'md' ? 0 : 1}`;
  const [best] = found.sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  if (best === undefined) {
    const pdf = [...files.keys()].find((path) => path.endsWith('.pdf') && path.includes('statement'));
    const reason = pdf === undefined ? 'is missing' : `is there as ${pdf} alone, which holds no text to read`;
    throw refusal('missing_field', 'problem_statement', reason, 'Add problem_statement/problem.en.tex or .md');
  }
  const text = textOf(best.path, files.get(best.path) as Uint8Array);
  return { text, markup: best.ending === 'md' ? 'markdown' : 'latex', language: best.language };
}
