/**
 * The sample end to end, as `npm start` publishes it, and the canonical projection of what came out.
 *
 *   node tools/proofs/sample-run.mjs --out FOLDER [--kafka host:port]
 *
 * Needs a build. Writes FOLDER/projection.ndjson, FOLDER/status.json and FOLDER/metrics.txt. Evaluations are those that the sample commands:
 * two runs, on whichever log, then have the same projection.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { projection } from './projection.mjs';
import { TidemarkProcess } from './tidemark-process.mjs';

const { values } = parseArgs({ options: { out: { type: 'string' }, kafka: { type: 'string' } } });
if (values.out === undefined) {
  process.stderr.write('usage: sample-run.mjs --out FOLDER [--kafka host:port]\n');
  process.exit(2);
}
const out = resolve(values.out);
rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, 'data'), { recursive: true });
const tidemark = await TidemarkProcess.create(join(out, 'data'), {
  TIDEMARK_CALIBRATE_EVALUATE_AFTER_GROUPS: '0',
  TIDEMARK_CALIBRATE_EVALUATE_AFTER_SECONDS: '0',
});
const startedAt = Date.now();
await tidemark.start({ sample: true, args: values.kafka ? ['--kafka', values.kafka] : [] });
await tidemark.untilSaid('All is quiet.');
const lines = await projection(tidemark.url);
writeFileSync(join(out, 'projection.ndjson'), `${lines.join('\n')}\n`);
writeFileSync(join(out, 'status.json'), JSON.stringify(await tidemark.status(), null, 2));
writeFileSync(join(out, 'metrics.txt'), await (await fetch(`${tidemark.url}/metrics`)).text());
const code = await tidemark.stop();
console.log(
  `${lines.length} lines of projection in ${Math.round((Date.now() - startedAt) / 1000)} s, exit code ${code}`,
);
process.exit(code === 0 ? 0 : 1);
