import type { Comparison } from './comparison.ts';

/** A program that decides, run apart from the submission. */
export type CheckerProgram = {
  readonly kind: 'program';
  readonly language: string;
  readonly source: string;
  /**
   * How it is asked.
   * - `function` (default): Python that defines `check(stdin, out, expected) -> bool`.
   * - `kattis`: a program with input, answer and a folder for feedback as its arguments and the output on its standard
   *   input, which ends with 42 to accept and 43 to refuse.
   * - `testlib`: a program with input, output and answer as its arguments, which ends with 0 to accept.
   */
  readonly protocol?: 'function' | 'kattis' | 'testlib';
  /** Files beside a program, by relative path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Further arguments of a program. */
  readonly arguments?: readonly string[];
};

export type StdinTest = { readonly input: Uint8Array; readonly expected: Uint8Array };

/** Arguments and expected value stay JSON text: they never pass through JavaScript numbers. */
export type CallTest = {
  /** One JSON text an argument, in order. */
  readonly argumentsJson: readonly string[];
  /** JSON texts of named arguments. */
  readonly namedArgumentsJson?: Readonly<Record<string, string>>;
  readonly expectedJson: string;
  /** Index of the argument that the function changes in place and that is compared instead of its result. */
  readonly inPlaceArgument?: number;
};

/** What a problem is judged by: a whole program, a function, or scripts of assertions. */
export type TestForm =
  | { readonly kind: 'stdin'; readonly tests: readonly StdinTest[]; readonly checker: Comparison | CheckerProgram }
  | {
      readonly kind: 'call';
      /** Name of the function, or of the method of `class Solution`. */
      readonly entry: string;
      readonly tests: readonly CallTest[];
      readonly comparison: Comparison;
    }
  | {
      readonly kind: 'asserts';
      /** Each runs by itself after the program, in its namespace, in a process of its own. */
      readonly tests: readonly string[];
      /** The function asked for; empty where it is not known. */
      readonly entry: string;
      /**
       * Tests and program share a process and a namespace. Only for tests that need the program's own objects (they
       * make instances of its classes, hand it functions): the program can then reach the tests.
       */
      readonly together: boolean;
    };
