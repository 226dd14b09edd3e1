import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { readCliConfig } from '../cli.config.ts';
import type { CommandContext, Run } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { GatewayClient } from '../gateway-client.ts';
import { explainFailure } from '../start/explain-failure.ts';
import { JsonView } from '../start/json-view.ts';
import { type FlowView, LiveView } from '../start/live-view.ts';
import { patiently } from '../start/patiently.ts';
import { loadStandalone, type Standalone } from '../start/load-standalone.ts';
import { command, evaluate, isPublished, type Publishing, publishSample, untilQuiet } from '../start/publish-sample.ts';
import { readSample } from '../start/sample.ts';
import { readStatus } from './status.ts';

interface StartOptions {
  readonly once?: boolean;
  readonly sample: boolean;
  readonly dataFolder?: string;
  readonly host: string;
  readonly port: number;
  readonly database?: string;
  readonly kafka?: string;
  readonly kafkaReplication: number;
  readonly endpoint?: string;
  readonly model?: string;
  readonly logLevel: string;
}

const checkout = resolve(dirname(fileURLToPath(import.meta.url)), '../../../..');
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

export function registerStart(program: Command, run: Run): void {
  program
    .command('start')
    .description(
      'run everything on this machine in one process, publish the sample and show it flow; then go on serving',
    )
    .option('--once', 'end when all is quiet')
    .option('--no-sample', 'publish nothing')
    .option('--data-folder <folder>', 'where everything is kept (default: .tidemark/data in the checkout)')
    .option('--host <address>', 'address of the gateway; any but loopback needs TIDEMARK_ACCESS_TOKEN', '127.0.0.1')
    .option('--port <number>', 'port of the gateway; 0 takes a free one', portNumber, 7400)
    .option('--database <url>', 'a PostgreSQL of your own, as postgres://…, in place of the bundled one')
    .option('--kafka <brokers>', 'keep the log in Kafka (host:port, separated by commas) in place of PostgreSQL')
    .option('--kafka-replication <copies>', 'copies of each partition of new topics, fixed from then on', copies, 1)
    .option(
      '--endpoint <url>',
      'OpenAI-compatible endpoint of your own model: measured on the sample as target my-model',
    )
    .option('--model <name>', 'name of that model at the endpoint')
    .addOption(new Option('--log-level <level>', 'of the log file').choices(LOG_LEVELS).default('info'))
    .action((options: StartOptions) => run((context) => start(context, options)));
}

async function start({ signal: interrupted, output }: CommandContext, options: StartOptions): Promise<ExitCode> {
  const terminated = new AbortController();
  process.once('SIGTERM', () => {
    terminated.abort();
  });
  const signal = AbortSignal.any([interrupted, terminated.signal]);
  const { token } = readCliConfig();
  process.stderr.write('Tidemark starts …\n');
  const standalone = await startServices(options, token).catch((error: unknown) => {
    throw explainFailure(error, options);
  });
  const client = new GatewayClient({ url: standalone.url, token }, signal);
  const { url, folder } = standalone;
  const look = () => patiently({ signal, says: () => undefined }, () => readStatus(client));
  const heading = {
    address: `Tidemark on ${url} (open it in a browser)`,
    places: [`data in ${folder.root}`, `log in ${folder.logFile}`],
  };
  const view: FlowView = output.json
    ? new JsonView(look, output, { url, data_folder: folder.root, log_file: folder.logFile })
    : new LiveView(look, process.stdout, heading);
  try {
    view.start();
    const says = (step: string) => view.says(step);
    const standsStill = (reasons: readonly string[]) => {
      const why = `Nothing moves any more: ${reasons.join('; ')}`;
      if (options.once) throw new Error(why);
      says(why);
    };
    await flow({ client, signal, says, standsStill }, options);
    await view.end(options.once ? 'All is quiet.' : 'All is quiet. Serving on; Ctrl-C ends it.');
    if (!options.once) await untilAborted(signal);
    return exitCodes.success;
  } catch (error) {
    if (!terminated.signal.aborted) throw error;
    return exitCodes.success;
  } finally {
    view.stop();
    if (signal.aborted) process.stderr.write('\nStopping: what is in hand is finished first.\n');
    await standalone.stop();
  }
}

async function startServices(options: StartOptions, token: string | undefined): Promise<Standalone> {
  const { startStandalone } = await loadStandalone();
  return await startStandalone({
    defaultFolders: [join(checkout, '.tidemark', 'data'), '/var/lib/tidemark', join(homedir(), '.tidemark')],
    host: options.host,
    port: options.port,
    logLevel: options.logLevel,
    ...(options.dataFolder !== undefined && { dataFolder: resolve(options.dataFolder) }),
    ...(options.database !== undefined && { databaseUrl: options.database }),
    ...(options.kafka !== undefined && { kafkaBrokers: options.kafka.split(',').map((broker) => broker.trim()) }),
    kafkaReplication: options.kafkaReplication,
    ...(token !== undefined && { accessToken: token }),
  });
}

async function flow(publishing: Publishing, { sample, endpoint, model }: StartOptions): Promise<void> {
  if (sample) {
    const content = readSample(join(checkout, 'samples'));
    if (await isPublished(publishing, content)) publishing.says('the sample was published before');
    else await publishSample(publishing, content);
  }
  if (endpoint !== undefined) {
    const body = { display_name: model ?? 'my model', endpoint_url: endpoint, endpoint_model: model ?? '' };
    await patiently(publishing, () => publishing.client.json('/v1/targets/my-model', { method: 'PUT', body }));
    await command(publishing, '/v1/targets/my-model/measure');
    publishing.says(`my-model: ${endpoint} is asked for attempts at every ready problem`);
    await untilQuiet(publishing);
    await evaluate(publishing, 'my-model');
  }
  await untilQuiet(publishing);
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new InvalidArgumentError('a number from 0 to 65,535');
  return port;
}

function copies(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 100) throw new InvalidArgumentError('a number from 1 to 100');
  return number;
}
