/**
 * The sample end to end, as `npm start` publishes it, and the canonical projection of what came out.
 *
 *   node tools/proofs/sample-run.mjs --out FOLDER [--kafka host:port] [--cluster]
 *
 * Needs a build. Writes FOLDER/projection.ndjson, FOLDER/rollouts.graded.v1.ndjson, FOLDER/status.json and FOLDER/metrics.txt. With
 * `--cluster` every service is a process of its own, `execute` in two replicas. Evaluations are those that the sample commands:
 * two runs, on whichever log, then have the same projection.
 */
import { createWriteStream, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Cluster } from '../cluster/cluster.mjs';
import { publishSampleTo } from '../cluster/publish-sample.mjs';
import { projection, readTopic } from './projection.mjs';
import { TidemarkProcess } from './tidemark-process.mjs';

const { values } = parseArgs({
  options: { out: { type: 'string' }, kafka: { type: 'string' }, cluster: { type: 'boolean', default: false } },
});
if (values.out === undefined) {
  process.stderr.write('usage: sample-run.mjs --out FOLDER [--kafka host:port] [--cluster]\n');
  process.exit(2);
}
const out = resolve(values.out);
rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, 'data'), { recursive: true });
const env = { TIDEMARK_CALIBRATE_EVALUATE_AFTER_GROUPS: '0', TIDEMARK_CALIBRATE_EVALUATE_AFTER_SECONDS: '0' };
const startedAt = Date.now();
const { url, metricsOf, stop } = await (values.cluster ? publishedToCluster() : publishedByStart());
const lines = await projection(url);
writeFileSync(join(out, 'projection.ndjson'), `${lines.join('\n')}\n`);
const graded = [];
for await (const record of readTopic(url, 'rollouts.graded.v1')) graded.push(JSON.stringify(record));
writeFileSync(join(out, 'rollouts.graded.v1.ndjson'), `${graded.join('\n')}\n`);
const read = async (address) => {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.text();
};
writeFileSync(join(out, 'status.json'), JSON.stringify(JSON.parse(await read(`${url}/v1/status`)), null, 2));
writeFileSync(join(out, 'metrics.txt'), (await Promise.all(metricsOf.map((each) => read(`${each}/metrics`)))).join(''));
const code = await stop();
console.log(
  `${lines.length} lines of projection in ${Math.round((Date.now() - startedAt) / 1000)} s, exit code ${code}`,
);
process.exit(code === 0 ? 0 : 1);

/** One process of all services. */
async function publishedByStart() {
  const tidemark = await TidemarkProcess.create(join(out, 'data'), env);
  await tidemark.start({ sample: true, args: values.kafka ? ['--kafka', values.kafka] : [] });
  await tidemark.untilSaid('All is quiet.');
  return { url: tidemark.url, metricsOf: [tidemark.url], stop: () => tidemark.stop() };
}

async function publishedToCluster() {
  const log = createWriteStream(join(out, 'cluster.log'));
  const cluster = new Cluster({
    folder: join(out, 'data'),
    kafka: values.kafka,
    env,
    says: (who, line) => log.write(`${who} | ${line}\n`),
  });
  await cluster.start();
  await publishSampleTo(cluster.url, new AbortController().signal, (step) => log.write(`${step}\n`));
  return {
    url: cluster.url,
    metricsOf: cluster.processes.map((each) => each.url),
    async stop() {
      const unclean = await cluster.stop();
      for (const line of unclean) console.error(line);
      return unclean.length;
    },
  };
}
