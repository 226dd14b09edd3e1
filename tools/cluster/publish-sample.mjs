/** Publishes the sample to any gateway, as `npm start` does, and returns when all is quiet. */
import { join, resolve } from 'node:path';
import { GatewayClient } from '../../clients/cli/dist/gateway-client.js';
import { publishSample, untilQuiet } from '../../clients/cli/dist/start/publish-sample.js';
import { readSample } from '../../clients/cli/dist/start/sample.js';

const root = resolve(import.meta.dirname, '../..');

export async function publishSampleTo(url, signal, says) {
  const publishing = { client: new GatewayClient({ url, token: undefined }, signal), signal, says };
  await publishSample(publishing, readSample(join(root, 'samples')));
  await untilQuiet(publishing);
}
