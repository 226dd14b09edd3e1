import type { Comparison } from './comparison.ts';

/** A program that decides, run apart from the submission: Python source with `check(stdin, out, expected) -> bool`. */
export type CheckerProgram = { readonly kind: 'program'; readonly language: string; readonly source: string };

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
