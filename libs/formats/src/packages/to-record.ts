import { limits as bounds, utf8Length } from '../limits.ts';
import type { CheckerJson } from './kattis/validator.ts';
import type { PackageStatement } from './kattis/statement.ts';
import { type PackageOptions, type PackageSubmission, refusal } from './problem-package.ts';

/** Nobody judges it, and its programs would count as wrong ones of today's Python. */
const OLD_PYTHON = 'python2';

/** What the formats of packages have in common. */
export interface PackageContent {
  readonly id: string;
  readonly title: string;
  readonly statement: PackageStatement;
  /** The contest or site; the namespace where the submitter names none. */
  readonly source: string;
  readonly url: string;
  readonly licence: string;
  readonly facets: Readonly<Record<string, string>>;
  readonly cases: readonly {
    readonly name: string;
    readonly input: string;
    readonly expected: string | undefined;
    readonly example: boolean;
  }[];
  readonly checker: CheckerJson;
  readonly submissions: readonly PackageSubmission[];
  readonly limits: Readonly<Record<string, number>>;
}

/**
 * The package as one record of `tidemark.problem.v1`. Programs that the package calls right are references; those that
 * it calls wrong, slow or crashing are known to be wrong.
 *
 * @throws PackageRefusal where no namespace is known, or the record would be too large
 */
export function toRecord(content: PackageContent, options: PackageOptions): string {
  const namespace = options.namespace ?? content.source;
  if (namespace === '') {
    throw refusal(
      'missing_field',
      'namespace',
      'is missing: the package names no source',
      'Name it for the upload (--namespace)',
    );
  }
  const { submissions, statement } = content;
  const isRight = ({ expected }: PackageSubmission) => expected.length === 1 && expected[0] === 'accepted';
  const isWrong = ({ expected }: PackageSubmission) => expected.length > 0 && !expected.includes('accepted');
  const solutions = (which: (one: PackageSubmission) => boolean) =>
    submissions
      .filter((one) => which(one) && one.language !== OLD_PYTHON && utf8Length(one.code) <= bounds.codeBytes)
      .slice(0, bounds.references)
      .map(({ code, language, path }) => ({
        code,
        language,
        author: path.split('/').at(-1)?.slice(0, bounds.nameCharacters) ?? '',
      }));
  const references = solutions(isRight);
  const clip = (text: string, most: number) => text.slice(0, most).toWellFormed();
  const facets = { ...content.facets, statement_markup: statement.markup, statement_language: statement.language };
  const record = JSON.stringify({
    format: 'tidemark.problem.v1',
    namespace: clip(namespace, bounds.namespaceCharacters),
    id: clip(content.id, bounds.recordIdCharacters),
    title: clip(content.title, bounds.titleCharacters),
    statement: statement.text,
    kind: 'program',
    // Packages want no language; that of a program which is right shows that it can be done in it.
    language:
      ['python', 'cpp', 'c'].find((name) => references.some(({ language }) => language === name)) ??
      references[0]?.language ??
      'python',
    origin: {
      kind: options.originKind ?? 'real',
      platform: clip(content.source, bounds.nameCharacters),
      url: clip(content.url, bounds.textCharacters),
    },
    ...(content.licence === '' ? {} : { licence: clip(content.licence, bounds.nameCharacters) }),
    facets: Object.fromEntries(
      Object.entries(facets)
        .filter(([, text]) => text !== '')
        .map(([name, text]) => [name, clip(text, bounds.facetCharacters)]),
    ),
    tests: { form: 'stdin', cases: content.cases },
    checker: content.checker,
    references,
    known_wrong: solutions(isWrong),
    limits: content.limits,
  });
  const bytes = utf8Length(record);
  if (bytes <= bounds.recordBytes) return record;
  const tests = content.cases.reduce((sum, one) => sum + one.input.length + (one.expected?.length ?? 0), 0);
  throw refusal(
    'too_large',
    'data',
    `makes a record of ${bytes} bytes, of which tests are ${tests}; a record has at most ${bounds.recordBytes}`,
    'Leave out the largest tests',
  );
}
