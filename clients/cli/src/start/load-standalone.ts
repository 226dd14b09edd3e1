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

interface StandaloneModule {
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
