import { isHeader, languageOf } from '../languages.ts';
import { textOf } from '../package-text.ts';
import { type PackageFiles, refusal } from '../problem-package.ts';

/** How outputs are compared, as a record of `tidemark.problem.v1` says it. */
export type CheckerJson = Readonly<Record<string, unknown>>;

const FOLDERS = ['output_validators/', 'output_validator/'];

/** The default validator with its flags. @throws PackageRefusal for flags that nobody knows */
export function defaultValidator(flags: readonly string[], place: string): CheckerJson {
  const tolerance: { abs?: number; rel?: number } = {};
  let [caseSensitive, spaceSensitive] = [false, false];
  for (let at = 0; at < flags.length; at++) {
    const flag = flags[at] as string;
    switch (flag) {
      case 'case_sensitive':
        caseSensitive = true;
        break;
      case 'space_change_sensitive':
        spaceSensitive = true;
        break;
      case 'float_tolerance':
      case 'float_absolute_tolerance':
      case 'float_relative_tolerance': {
        at += 1;
        const value = Number(flags[at]);
        if (!(value >= 0)) throw refusal('bad_value', place, `${flag} has no number behind it`, 'Write one');
        if (flag !== 'float_relative_tolerance') tolerance.abs = value;
        if (flag !== 'float_absolute_tolerance') tolerance.rel = value;
        break;
      }
      default:
        throw refusal(
          'unsupported',
          place,
          `has the flag ${flag}, which is not known`,
          'Known are case_sensitive, space_change_sensitive, float_tolerance, float_absolute_tolerance and float_relative_tolerance',
        );
    }
  }
  return { kind: 'default', case_sensitive: caseSensitive, space_change_sensitive: spaceSensitive, ...tolerance };
}

/** The package's own validator; undefined where it has none. @throws PackageRefusal */
export function customValidator({ files }: PackageFiles, flags: readonly string[]): CheckerJson | undefined {
  const programs = new Map<string, string[]>();
  for (const path of files.keys()) {
    const folder = FOLDERS.find((prefix) => path.startsWith(prefix));
    if (folder === undefined) continue;
    const [first = '', ...rest] = path.slice(folder.length).split('/');
    // The newer format has one validator, whose files may lie in the folder itself.
    const name = folder === 'output_validator/' && rest.length === 0 ? folder : `${folder}${first}`;
    programs.set(name, [...(programs.get(name) ?? []), path]);
  }
  const [program, ...others] = [...programs];
  if (program === undefined) return undefined;
  if (others.length > 0) {
    throw refusal('unsupported', FOLDERS[0] as string, `holds ${programs.size} validators`, 'One that decides is read');
  }
  const [name, paths] = program;
  const sources = paths
    .filter((path) => !isHeader(path))
    .map((path) => ({ path, code: textOf(path, files.get(path) as Uint8Array) }));
  const languages = new Set(sources.map(({ path, code }) => languageOf(path, code)));
  const [language = ''] = languages;
  if (languages.size !== 1 || !['python', 'c', 'cpp'].includes(language)) {
    throw refusal(
      'unsupported',
      name,
      'is no program of Python, C or C++ alone',
      'Write the validator in one of these, without a build script',
    );
  }
  const main = mainOf(sources, language);
  const base = main.path.slice(0, main.path.lastIndexOf('/') + 1);
  const beside = paths.filter((path) => path !== main.path);
  return {
    kind: 'validator',
    protocol: 'kattis',
    language,
    code: main.code,
    files: Object.fromEntries(
      beside.map((path) => [relative(base, path), textOf(path, files.get(path) as Uint8Array)]),
    ),
    flags,
  };
}

function mainOf(sources: readonly { readonly path: string; readonly code: string }[], language: string) {
  const starts = language === 'python' ? /__main__/ : /\bmain\s*\(/;
  const found = sources.length === 1 ? sources[0] : sources.find(({ code }) => starts.test(code));
  if (found === undefined) {
    throw refusal(
      'unsupported',
      sources[0]?.path ?? '',
      'has no file with a main',
      'Name the file where it starts main',
    );
  }
  return found;
}

const relative = (base: string, path: string): string =>
  path.startsWith(base) ? path.slice(base.length) : (path.split('/').at(-1) as string);
