import type { CheckerJson } from '../kattis/validator.ts';
import { isHeader } from '../languages.ts';
import { textOf } from '../package-text.ts';
import { type PackageFiles, refusal } from '../problem-package.ts';
import { attribute, child, type Node } from './xml.ts';

/** Checkers that come with testlib, by what they compare. */
const STANDARD: Readonly<Record<string, CheckerJson>> = {
  'fcmp.cpp': { kind: 'lines' },
  'lcmp.cpp': { kind: 'tokens' },
  'wcmp.cpp': { kind: 'tokens' },
  'ncmp.cpp': { kind: 'tokens' },
  'icmp.cpp': { kind: 'tokens' },
  'hcmp.cpp': { kind: 'tokens' },
  'yesno.cpp': { kind: 'tokens', ignore_case: true },
  'nyesno.cpp': { kind: 'tokens', ignore_case: true },
  'rcmp4.cpp': { kind: 'float', abs: 1e-4, rel: 1e-4 },
  'rcmp6.cpp': { kind: 'float', abs: 1e-6, rel: 1e-6 },
  'rcmp9.cpp': { kind: 'float', abs: 1e-9, rel: 1e-9 },
};

/**
 * A standard checker as its comparison, another as a testlib program. testlib.h is not in a package: a checker that
 * needs it is compiled where the package brings the header along.
 *
 * @throws PackageRefusal
 */
export function checkerOf({ files }: PackageFiles, checker: Node | undefined): CheckerJson {
  const standard = STANDARD[attribute(checker, 'name').replace(/^std::/, '')];
  if (standard !== undefined) return standard;
  const path = attribute(child(checker, 'source'), 'path');
  const bytes = files.get(path) ?? files.get(path.split('/').at(-1) as string);
  if (bytes === undefined)
    throw refusal('missing_field', path || 'checker', 'is not there', 'Build the package with its checker');
  const code = textOf(path, bytes);
  const headers = [...files.keys()].filter((file) => /^files\/[^/]+$/.test(file) && isHeader(file));
  if (!headers.includes('files/testlib.h')) {
    throw refusal('unsupported', path, 'needs testlib.h, which is not in the package', 'Put testlib.h into files/');
  }
  const beside = headers.map((file) => [file.slice('files/'.length), textOf(file, files.get(file) as Uint8Array)]);
  return {
    kind: 'validator',
    protocol: 'testlib',
    language: 'cpp',
    code,
    files: Object.fromEntries(beside),
    flags: [],
  };
}
