/**
 * Takes the pictures of the README, `docs/images/`, of a Tidemark that runs and has the sample in it:
 *
 *     npm start                      # in another terminal, until all is quiet
 *     npx node tools/screenshots.mjs http://127.0.0.1:7400
 *
 * What they show is what that run came to. Needs Chromium (`TIDEMARK_CHROMIUM`, else /usr/bin/chromium).
 */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const folder = join(resolve(dirname(fileURLToPath(import.meta.url)), '..'), 'docs', 'images');
const [address = 'http://127.0.0.1:7400'] = process.argv.slice(2);
const TARGET = 'written-student';
const SETTLED_MS = 3_000;

const { moves } = await (await fetch(`${address}/v1/console/targets/${TARGET}/moves?limit=1`)).json();
if (moves.length === 0) throw new Error(`${address} does not hold the sample yet: no problem of ${TARGET} has moved`);

const PICTURES = [
  { name: 'flow', path: `/?target=${TARGET}`, scheme: 'light', height: 1_000 },
  { name: 'flow-dark', path: `/?target=${TARGET}`, scheme: 'dark', height: 1_000 },
  { name: 'target', path: `/targets/${TARGET}`, scheme: 'light', height: 940 },
  { name: 'problem', path: `/problems/${moves[0].problem_id}`, scheme: 'light', height: 1_120 },
];

mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.TIDEMARK_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
for (const { name, path, scheme, height } of PICTURES) {
  const page = await browser.newPage({
    viewport: { width: 1_280, height },
    colorScheme: scheme,
    reducedMotion: 'reduce',
  });
  await page.goto(address + path);
  await page.getByRole('status').getByText('live').waitFor();
  await page.waitForTimeout(SETTLED_MS);
  if ((await page.locator('.mantine-Skeleton-root').count()) > 0) throw new Error(`${path} is not painted yet`);
  const file = join(folder, `${name}.png`);
  await page.screenshot({ path: file });
  await page.close();
  process.stdout.write(`${file} ${Math.round(statSync(file).size / 1024)} KiB\n`);
}
await browser.close();
