/** Names by which people, data sets and fences call a language that is judged here, lower case. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  python: ['python', 'py', 'python3', 'py3', 'python2', 'pypy', 'pypy3', 'cpython', 'sage', 'pycon'],
  cpp: ['cpp', 'c++', 'cc', 'cxx', 'hpp', 'g++'],
  c: ['c', 'h', 'gcc'],
};
/** A standard or a version behind a name says how to compile, not what: c++17, gnu++20, c11, python3.11. */
const VERSION = /^(?:gnu(?=\+\+))?(c\+\+|cpp|c|g\+\+|python|py|pypy)[-_ ]?\d[\d.a-z]*$/;

/** The one name of a language under which it is judged, or the name given, lower case, where nothing here knows it. */
export function canonicalLanguage(name: string): string {
  const lower = name.trim().toLowerCase();
  const unversioned = lower.startsWith('gnu++') ? 'c++' : (VERSION.exec(lower)?.[1] ?? lower);
  const known = Object.entries(NAMES).find(([, names]) => names.includes(lower) || names.includes(unversioned));
  return known?.[0] ?? lower;
}

const SIGNS: Readonly<Record<string, RegExp>> = {
  cpp: /^\s*(#\s*include\s*<(?:bits\/stdc\+\+\.h|[a-z_]+)>|using namespace\b|template\s*<)|\bstd::|\bcout\b|\bcin\b/m,
  c: /^\s*#\s*include\s*<\w+\.h>|^\s*int\s+main\s*\(/m,
  python: /^\s*(def \w+\(.*:|import \w+|from \S+ import |print\(|for .+:$|if .+:$)|\binput\(\)/m,
};

/** Of the languages that may answer, the one that code without a tag reads as; the first where nothing tells. */
export function guessLanguage(code: string, languages: readonly string[]): string {
  const [first = ''] = languages;
  if (languages.length < 2) return first;
  // What only C++ has before what C shares with it.
  const reads = ['cpp', 'c', 'python'].find((language) => SIGNS[language]?.test(code)) ?? first;
  if (languages.includes(reads)) return reads;
  return reads === 'c' && languages.includes('cpp') ? 'cpp' : first;
}
