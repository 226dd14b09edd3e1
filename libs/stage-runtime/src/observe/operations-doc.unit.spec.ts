import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../../../..');
const namesIn = (text: string, pattern: RegExp): string[] =>
  [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))].sort();

it('docs/operations.md explains every metric that there is, and no other', () => {
  const sources = globSync('{libs,services}/*/src/**/*.ts', { cwd: root })
    .filter((path) => !/\.spec\.ts$|\/testing\//.test(path))
    .map((path) => readFileSync(join(root, path), 'utf8'));
  const defined = namesIn(sources.join('\n'), /'(tidemark_[a-z_]+)'/g);
  const explained = namesIn(readFileSync(join(root, 'docs/operations.md'), 'utf8'), /`(tidemark_[a-z_]+)`/g);
  expect(defined.length).toBeGreaterThan(15);
  expect(explained).toEqual(defined);
});
