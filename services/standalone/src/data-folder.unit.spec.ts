import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openDataFolder } from './data-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidemark-folder-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('makes what is missing, once', () => {
  const first = openDataFolder(join(folder, 'new', 'data'));
  expect(first.gatewaySecret).toMatch(/^[0-9a-f]{64}$/);
  expect(statSync(first.blobs).isDirectory()).toBe(true);
  expect(openDataFolder(join(folder, 'new', 'data'))).toEqual(first);
});

it('says what is wrong with a folder that can not be used', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(() => openDataFolder(file)).toThrow(`the data folder ${file} is a file, not a folder`);
  expect(() => openDataFolder(join(file, 'below'))).toThrow('lies below a file');
});
