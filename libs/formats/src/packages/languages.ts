const BY_ENDING: Readonly<Record<string, string>> = {
  py: 'python',
  py3: 'python',
  py2: 'python2',
  c: 'c',
  cc: 'cpp',
  cpp: 'cpp',
  cxx: 'cpp',
  'c++': 'cpp',
  C: 'cpp',
  java: 'java',
  kt: 'kotlin',
  rs: 'rust',
  go: 'go',
  js: 'javascript',
  ts: 'typescript',
  rb: 'ruby',
  php: 'php',
  hs: 'haskell',
  ml: 'ocaml',
  scala: 'scala',
  cs: 'csharp',
  pas: 'pascal',
  lisp: 'lisp',
};
const HEADERS = new Set(['h', 'hh', 'hpp', 'hxx']);

export const endingOf = (path: string): string => /\.([^./]+)$/.exec(path)?.[1] ?? '';
export const isHeader = (path: string): boolean => HEADERS.has(endingOf(path));

/** Language of a source by its ending, and by its first line where that asks for an old Python; empty where unknown. */
export function languageOf(path: string, code: string): string {
  const language = BY_ENDING[endingOf(path)] ?? '';
  return language === 'python' && /^#!.*python2/.test(code) ? 'python2' : language;
}
