import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BuildCache } from './build-cache.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-cache-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const program = (letter: string, bytes = 1_000) => Buffer.alloc(bytes, letter);
const size = () => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

it('gives back what it was given, also to the next service', async () => {
  await new BuildCache(folder, 1e6).put('one', program('a'));
  expect(await new BuildCache(folder, 1e6).get('one')).toEqual(program('a'));
  expect(await new BuildCache(folder, 1e6).get('two')).toBeUndefined();
});

it('knows nothing of what is not what it wrote', async () => {
  const cache = new BuildCache(folder, 1e6);
  await cache.put('one', program('a'));
  const path = join(folder, 'one');
  const stored = readFileSync(path);
  for (const broken of [
    stored.subarray(0, 500),
    Buffer.alloc(0),
    Buffer.concat([stored.subarray(0, -1), Buffer.from('b')]),
  ]) {
    writeFileSync(path, broken);
    expect(await cache.get('one')).toBeUndefined();
  }
});

it('stays within its bound, and lets go first of what was unused for longest', async () => {
  const cache = new BuildCache(folder, 10_000);
  for (let at = 0; at < 9; at++) {
    await cache.put(`p${at}`, program('a'));
    utimesSync(join(folder, `p${at}`), at, at);
  }
  expect(await cache.get('p0')).toBeDefined();
  await cache.put('p9', program('a'));
  expect(size()).toBeLessThanOrEqual(10_000);
  expect(await cache.get('p0')).toBeDefined();
  expect(await cache.get('p1')).toBeUndefined();
  expect(await cache.get('p9')).toBeDefined();
});

it('costs nothing but a compilation where the disk refuses', async () => {
  const cache = new BuildCache(join(folder, 'file', 'below'), 1e6);
  writeFileSync(join(folder, 'file'), '');
  await cache.put('one', program('a'));
  expect(await cache.get('one')).toBeUndefined();
});
