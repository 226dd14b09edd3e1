import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { sayUntested } from '@tidemark/testing-servers';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';

const PROGRAMS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const ARGUMENTS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];
const root = resolve(import.meta.dirname, '../../../..');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The browser of this machine: `TIDEMARK_CHROMIUM`, or Chromium or Chrome where systems put them. */
export const browserProgram = (): string | undefined =>
  [process.env.TIDEMARK_CHROMIUM, ...PROGRAMS].find((path) => path !== undefined && existsSync(path));

/**
 * A suite that drives a real browser over the console as it is built. Without a browser it fails under `CI=true`;
 * elsewhere its tests are skipped, and the run ends with a loud word that the console was not tested.
 */
export function describeWithBrowser(name: string, suite: (tabs: Tabs) => void): void {
  describe(name, async () => {
    const program = browserProgram();
    if (program === undefined) {
      if (process.env.CI === 'true') throw new Error('no browser: install chromium, or name one in TIDEMARK_CHROMIUM');
      await sayUntested(
        'THE CONSOLE WAS NOT TESTED: there is no browser here.',
        'Install one (apt-get install chromium), or name one in TIDEMARK_CHROMIUM.',
      );
      it.skip('THE CONSOLE WAS NOT TESTED: there is no browser here');
      return;
    }
    const tabs = new Tabs(program);
    beforeAll(async () => {
      buildConsole();
      await tabs.open();
    });
    afterAll(() => tabs.close());
    suite(tabs);
  });
}

/** Builds what the gateway serves, unless it is built already. */
export function buildConsole(): void {
  const { status, stderr } = spawnSync(process.execPath, ['tools/build-console.mjs'], { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the console can't be built: ${stderr}`);
}

export interface TabOptions {
  readonly scheme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
}

/** Tabs of one browser; each is a person of its own. */
export class Tabs {
  private browser: Browser | undefined;
  private readonly contexts: BrowserContext[] = [];
  /** What pages complained of: refused by the policy, thrown, failed to load. */
  readonly complaints: string[] = [];

  constructor(private readonly program: string) {}

  async open(): Promise<void> {
    this.browser = await chromium.launch({ executablePath: this.program, args: ARGUMENTS });
  }

  async close(): Promise<void> {
    await this.browser?.close();
  }

  /** A new tab on `address`. */
  async tab(address: string, { scheme = 'light', width = 1280, height = 800 }: TabOptions = {}): Promise<Page> {
    if (this.browser === undefined) throw new Error('the browser is not open');
    const context = await this.browser.newContext({
      baseURL: address,
      viewport: { width, height },
      colorScheme: scheme,
      reducedMotion: 'reduce',
    });
    this.contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
    return page;
  }

  /** Closes all tabs, and the streams that they hold. */
  async closeTabs(): Promise<void> {
    await Promise.all(this.contexts.splice(0).map((context) => context.close()));
  }
}

/**
 * What axe-core finds serious or worse on the page, one line each.
 *
 * @param rule the one rule to check; all of them without it
 */
export async function seriousFindings(page: Page, rule?: string): Promise<string[]> {
  await page.evaluate(axe);
  const options = JSON.stringify(rule === undefined ? {} : { runOnly: { type: 'rule', values: [rule] } });
  const found = await page.evaluate<readonly Finding[]>(`axe.run(${options}).then(({ violations }) => violations)`);
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, any }) => `${id}: ${help}: ${html.slice(0, 160)} ${any[0]?.message ?? ''}`),
    );
}

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly any: readonly { readonly message: string }[] }[];
}
