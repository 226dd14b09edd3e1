import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { knownReasons } from './known-reasons.ts';

it('holds every reason for which normalize and execute reject or let wait', () => {
  const services = resolve(import.meta.dirname, '../../..');
  const normalize = readFileSync(join(services, 'normalize/src/on-problem-raw/decide-normalization.ts'), 'utf8');
  const union = /type RejectionReason =([^;]+);/.exec(normalize)?.[1] ?? '';
  const execute = globSync('execute/src/verify-problem/*.ts', { cwd: services })
    .filter((path) => !path.endsWith('.spec.ts'))
    .map((path) => readFileSync(join(services, path), 'utf8'))
    .join('\n');
  const given = [
    ...[...union.matchAll(/'(\w+)'/g)].map(([, code]) => code),
    ...[...execute.matchAll(/kind: '(?:rejected|waiting)',\s+reason: '(\w+)'/g)].map(([, code]) => code),
    ...[...execute.matchAll(/rejection\('(\w+)'/g)].map(([, code]) => code),
  ];
  expect(given.length).toBeGreaterThan(12);
  expect(given.filter((code) => !knownReasons.includes(code ?? ''))).toEqual([]);
});
