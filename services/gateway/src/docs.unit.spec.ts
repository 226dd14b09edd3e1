import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** docs/http.md is what a producer or a trainer reads: it names every path that is served, and none that is not. */
const page = readFileSync(resolve(import.meta.dirname, '../../../docs/http.md'), 'utf8');

describe('docs/http.md', () => {
  it('names the paths that are served', () => {
    const named = [...page.matchAll(/`(GET|POST|PUT|DELETE) (\/v1\/[^`? ]*)/g)].map(
      ([, method, path]) => `${method} ${path}`,
    );
    expect([...new Set(named)].sort()).toEqual(servedPaths());
  });

  it('names every code of an error', () => {
    const codes = sources().flatMap((source) => [
      ...[...source.matchAll(/(?<!\w)code: '([a-z_]+)'/g)].map(([, code]) => code),
      ...[...source.matchAll(/(?:conflict|refused)\(\s*(?:40\d,\s*)?'([a-z_]+)'/g)].map(([, code]) => code),
      ...[...source.matchAll(/notFound\(\s*'([a-z ]+)'/g)].map(([, kind]) => `unknown_${kind?.replaceAll(' ', '_')}`),
    ]);
    const missing = [...new Set(codes)].filter((code) => !page.includes(`\`${code}\``));
    expect(missing).toEqual([]);
  });
});

function servedPaths(): string[] {
  return sources()
    .flatMap((source) => {
      const prefix = /@Controller\('([^']*)'\)/.exec(source)?.[1];
      if (prefix === undefined) return [];
      return [...source.matchAll(/@(Get|Post|Put|Delete)\((?:'([^']*)')?\)/g)].map(
        ([, verb = '', path]) => `${verb.toUpperCase()} /${prefix}${path === undefined ? '' : `/${path}`}`,
      );
    })
    .sort();
}

function sources(): string[] {
  return globSync('**/*.ts', { cwd: import.meta.dirname })
    .filter((path) => !path.endsWith('.spec.ts') && !path.startsWith('testing'))
    .map((path) => readFileSync(join(import.meta.dirname, path), 'utf8'));
}
