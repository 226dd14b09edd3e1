import { UsageError } from '../context.ts';

/** Held in a variable: the command line does not depend on the services, and runs where they are not installed. */
const STANDALONE = '@tidemark/standalone';

/** What `services/standalone` is asked for. */
export interface StandaloneOptions {
  readonly dataFolder?: string;
  readonly defaultFolders: readonly string[];
  readonly host: string;
  readonly port: number;
  readonly accessToken?: string;
  readonly databaseUrl?: string;
  readonly kafkaBrokers?: readonly string[];
  readonly kafkaReplication?: number;
  readonly logLevel: string;
}

/** All services, running in this process. */
export interface Standalone {
  readonly url: string;
  readonly folder: { readonly root: string; readonly logFile: string };
  stop(): Promise<void>;
}

/** One setting of a service, as `tidemark config` shows it. */
export interface Setting {
  readonly variable: string;
  readonly description: string;
  readonly type: string;
  readonly unit?: string;
  readonly default?: string | number | boolean;
  /** In words, with the unit. */
  readonly range: string;
  readonly required: boolean;
  readonly secret: boolean;
}

/** What a service can be told, and what is wrong with the variables at hand. */
export interface ServiceSettings {
  readonly service: string;
  readonly own: readonly Setting[];
  readonly shared: readonly Setting[];
  readonly set: readonly string[];
  readonly faults: readonly string[];
  readonly unknown: readonly string[];
}

/** One thing that was looked at. */
export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly found: string;
  /** What to do, where it is not as it should be. */
  readonly todo?: string;
}

/** What judging on the spot tells as it goes. Names are those of `--json`. */
export type SpotEvent =
  | {
      readonly kind: 'problem';
      readonly title: string;
      readonly tests: number;
      readonly checker: string;
      readonly cpu_ms: number;
      /** Where the limit comes from: the problem, the slowest program that is right, or the judge's own. */
      readonly limit: 'stated' | 'measured' | 'default' | 'given';
      readonly memory_bytes: number;
      readonly judge: string;
      readonly languages: readonly string[];
      readonly warnings: readonly { readonly field: string; readonly reason: string }[];
    }
  | {
      readonly kind: 'test';
      readonly submission: string;
      readonly test: string;
      readonly verdict: string;
      readonly cpu_ms: number;
      readonly wall_ms: number;
      readonly memory_bytes: number;
      readonly detail: string;
      /** What was expected there: for those who may see the tests. */
      readonly expected?: string;
    }
  | {
      readonly kind: 'submission';
      readonly submission: string;
      readonly language: string;
      /** Of the first test that was not passed. */
      readonly verdict: string;
      readonly test: string;
      readonly tests_run: number;
      readonly tests_passed: number;
      readonly max_cpu_ms: number;
      readonly max_memory_bytes: number;
      /** Verdicts that its label allows; empty where it has none, and `accepted` is wanted. */
      readonly wanted: readonly string[];
      readonly as_wanted: boolean;
      /** It came with the problem, in a language that nothing here judges: no difference. */
      readonly waits: boolean;
      readonly detail: string;
    };

interface SpotOptions {
  /** Path of a problem file or package. */
  readonly problem: string;
  /** Which record of a file. */
  readonly id?: string | undefined;
  /** Paths of programs; none: those that come with the problem. */
  readonly programs: readonly string[];
  /** Of all programs given; where absent, by their endings. */
  readonly language?: string | undefined;
  /** CPU seconds in place of the problem's. */
  readonly timeLimitSeconds?: number | undefined;
  /** A program's first failing test ends it. */
  readonly stopAtFirst?: boolean;
  readonly signal?: AbortSignal;
}

interface StandaloneModule {
  judgeOnTheSpot(options: SpotOptions): AsyncIterable<SpotEvent>;
  readonly UnusableProblemError: new (message: string) => Error;
  startStandalone(options: StandaloneOptions): Promise<Standalone>;
  readonly serviceNames: readonly string[];
  examineMachine(dataFolder: string): Promise<readonly Finding[]>;
  describeSettings(name: string): ServiceSettings | undefined;
}

/** @throws UsageError where the services are not installed beside the command line */
export async function loadStandalone(): Promise<StandaloneModule> {
  try {
    return (await import(STANDALONE)) as StandaloneModule;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') {
      throw new UsageError(`the services are not installed beside this command line (${error.message})`);
    }
    throw error;
  }
}
