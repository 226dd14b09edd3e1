/**
 * Ends a CI run: names what was skipped and what failed outside a test, and prints `N passed, N failed` last.
 * `node tools/count-tests.mjs REPORT`, the report being that of vitest's json reporter. Non-zero unless all passed.
 */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const [path] = process.argv.slice(2);
if (path === undefined || !existsSync(path)) {
  process.stdout.write('no test was counted: vitest left no report\n');
  process.exit(1);
}
const report = JSON.parse(readFileSync(path, 'utf8'));
const tests = report.testResults.flatMap((file) => file.assertionResults);
const withStatus = (...statuses) => tests.filter(({ status }) => statuses.includes(status));
// A file that couldn't be loaded, or a hook that threw, fails no single test: it counts as one failure of its own.
const brokenFiles = report.testResults.filter(
  ({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
);
for (const { fullName } of withStatus('skipped', 'pending', 'todo')) process.stdout.write(`skipped: ${fullName}\n`);
for (const { name } of brokenFiles) process.stdout.write(`failed outside a test: ${relative('.', name)}\n`);
const passed = withStatus('passed').length;
const failed = withStatus('failed').length + brokenFiles.length;
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = passed > 0 && failed === 0 && report.success === true ? 0 : 1;
