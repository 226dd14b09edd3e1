import { hashOfFields, sha256Hex } from '@tidemark/identity';

/**
 * The text by which two statements are the same although they are laid out differently: compatibility forms folded
 * (NFKC), lower case, and blanks kept, as one space, between two word characters alone. `Given n, print n*n.` equals
 * ` given N,\n\n print n * n . `. Never shown to anyone.
 */
export function canonicalStatement(statement: string): string {
  return statement
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/gu, ' ')
    .replace(/ (?=[^\p{L}\p{M}\p{N}_])/gu, '')
    .replace(/(?<=[^\p{L}\p{M}\p{N}_]) /gu, '')
    .trim();
}

/** Everything but the statement that tells two problems apart. */
export interface ProblemIdentity {
  readonly statement: string;
  readonly languages: readonly string[];
  readonly entryPoint: string;
  readonly starterCode: string;
  /** Undefined when there are no tests. */
  readonly tests: TestsIdentity | undefined;
}

export interface TestsIdentity {
  readonly form: string;
  /** The checker and its settings, as text. */
  readonly checker: string;
  /** The fields of each test that decide its result; their order among each other does not matter. */
  readonly cases: readonly (readonly string[])[];
}

/** Hash by which statements that differ in layout alone are equal: 64 hexadecimal digits. */
export function statementHash(statement: string): string {
  return sha256Hex(canonicalStatement(statement));
}

/**
 * Hash of canonical statement, signature and tests: equal for exact duplicates, whatever the order of their tests and
 * languages. 64 hexadecimal digits.
 */
export function identityHash(problem: ProblemIdentity): string {
  const tests = problem.tests;
  return hashOfFields(
    canonicalStatement(problem.statement),
    hashOfFields(...[...problem.languages].sort()),
    problem.entryPoint,
    canonicalCode(problem.starterCode),
    tests?.form ?? '',
    tests?.checker ?? '',
    hashOfFields(...(tests?.cases ?? []).map((fields) => hashOfFields(...fields)).sort()),
  );
}

/** A JSON text without blanks between its tokens; strings and numbers stay as they are written. Expects valid JSON. */
export function squeezeJson(json: string): string {
  return json.replace(/("(?:[^"\\]|\\.)*")|[ \t\r\n]+/g, (_, text: string | undefined) => text ?? '');
}

/** Blanks at line ends and empty lines aside. */
function canonicalCode(code: string): string {
  return code
    .split(/\r\n?|\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n');
}
