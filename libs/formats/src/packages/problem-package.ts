import type { Fault, Warning } from '../faults.ts';
import type { ProblemDefaults } from '../problems/problem-format.ts';

/** The files of a folder or archive: all regular, by path within it, parts joined by `/`. */
export interface PackageFiles {
  /** Name of the folder or archive, without its ending. */
  readonly name: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** What a package says of a program in it. */
export interface PackageSubmission {
  /** Within the package. */
  readonly path: string;
  /** Lower case; empty where its ending says nothing. */
  readonly language: string;
  readonly code: string;
  /** What it may earn, in the judge's words; empty where the package doesn't say. */
  readonly expected: readonly ('accepted' | 'wrong_answer' | 'time_limit' | 'runtime_error' | 'memory_limit')[];
  /** The package's own word. */
  readonly label: string;
}

/** How a package that states no time limit gets one: that of the slowest program it calls right, times this. */
export interface PackageTiming {
  /** Seconds; undefined where the package leaves it to be measured. */
  readonly limitSeconds: number | undefined;
  readonly multiplier: number;
}

export type ProblemPackageFormat = 'kattis' | 'polygon' | 'library-checker';

/** What a package turned out to be. */
export type ReadPackage =
  | {
      readonly kind: 'package';
      readonly format: ProblemPackageFormat;
      /** Short name. */
      readonly id: string;
      /** The problem as a record of `tidemark.problem.v1`: all of it, in one JSON text. */
      readonly record: string;
      /** All programs, those that the record has no place for too. */
      readonly submissions: readonly PackageSubmission[];
      readonly timing: PackageTiming;
      readonly warnings: readonly Warning[];
    }
  | { readonly kind: 'refused'; readonly faults: readonly Fault[] };

export interface PackageOptions extends ProblemDefaults {
  /** Takes a package although some of the tests that it names are not in it, with a warning. Default false. */
  readonly allowMissingTests?: boolean;
}

/** What makes a package one that is not read; thrown and caught within this folder. */
export class PackageRefusal extends Error {
  constructor(readonly faults: readonly Fault[]) {
    super(faults.map(({ field, reason }) => `${field} ${reason}`).join('; '));
    this.name = 'PackageRefusal';
  }
}

/** @param field path within the package */
export function refusal(code: Fault['code'], field: string, reason: string, advice: string): PackageRefusal {
  return new PackageRefusal([{ code, field, reason, advice }]);
}
