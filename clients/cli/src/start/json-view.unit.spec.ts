import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { StreamOutput } from '../output.ts';
import type { Status } from '../status.ts';
import { JsonView } from './json-view.ts';

it('is one JSON object a line, and nothing else', async () => {
  const out = new PassThrough();
  const status = { quiet: true, problems: 2 } as Status;
  const about = { url: 'http://127.0.0.1:1', data_folder: '/d', log_file: '/d/log' };
  const view = new JsonView(() => Promise.resolve(status), new StreamOutput(true, out, new PassThrough()), about);
  view.start();
  view.says('target t declared');
  await view.end('All is quiet.');
  out.end();
  const lines = (await text(out)).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    { event: 'started', ...about },
    { event: 'step', step: 'target t declared' },
    { event: 'status', ...status },
    { event: 'step', step: 'All is quiet.' },
  ]);
});
