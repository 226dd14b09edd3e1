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

/** @throws UsageError where the services are not installed beside the command line */
export async function loadStandalone(): Promise<{ startStandalone(options: StandaloneOptions): Promise<Standalone> }> {
  try {
    return (await import(STANDALONE)) as { startStandalone(options: StandaloneOptions): Promise<Standalone> };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') {
      throw new UsageError(`the services are not installed beside this command line (${error.message})`);
    }
    throw error;
  }
}
