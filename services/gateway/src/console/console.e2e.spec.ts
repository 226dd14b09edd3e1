import { topics } from '@tidemark/event-log';
import { Stage } from '@tidemark/proto';
import { startStage, type StageHarness } from '@tidemark/stage-runtime/testing';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { gatewayService } from '../index.ts';
import { describeWithBrowser, seriousFindings } from '../testing/browser.ts';
import { TestClient } from '../testing/client.ts';
import { idOf, publishSmallStream, stopped } from '../testing/console-events.ts';

const MANY = 100_000;

describeWithBrowser('the console in a browser', (tabs) => {
  let harness: StageHarness;
  beforeAll(async () => {
    harness = await startStage(gatewayService, { http: true });
  });
  afterEach(async () => {
    await tabs.closeTabs();
    // What the page's own policy refuses is among them.
    expect(tabs.complaints.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await harness?.stop();
  });
  let streamed: Promise<void> | undefined;
  /** Puts the small stream in, once. */
  const stream = () => (streamed ??= publish());
  const publish = async () => {
    await new TestClient(harness).json('PUT', '/v1/targets/model', { display_name: 'Model' });
    await publishSmallStream(harness);
    await harness.untilQuiet(60_000);
  };
  const open = async (path: string): Promise<Page> => {
    await stream();
    const page = await tabs.tab(harness.service.address ?? '');
    await page.goto(path);
    return page;
  };

  describe('on an empty system', () => {
    it('says what to do first, and shows what flows without being loaded again', async () => {
      const page = await tabs.tab(harness.service.address ?? '');
      await page.goto('/');
      await page.getByText('npx tidemark ingest problems.jsonl').waitFor();
      expect(await seriousFindings(page)).toEqual([]);
      await stream();
      await page.getByRole('group', { name: 'The flow of problems' }).waitFor();
      await page.getByRole('link', { name: 'near duplicate 1' }).waitFor();
    });
  });

  describe('the flow', () => {
    it('leads from a reason to the problems that were stopped for it', async () => {
      const page = await open('/');
      await page.getByRole('link', { name: 'no tests 1' }).click();
      await page.waitForURL('**/problems?state=rejected&stage=normalize&reason=no_tests');
      const rows = page.getByRole('table', { name: 'Problems' }).getByRole('row');
      await page.getByRole('link', { name: 'Title of untested' }).waitFor();
      expect(await rows.count()).toBe(2);
      await page.getByRole('combobox', { name: 'State' }).click();
      await page.getByRole('option', { name: 'held out (1)' }).click();
      await page.waitForURL('**/problems?state=ready&held_out=true');
      await page.getByRole('link', { name: 'Title of secret' }).waitFor();
      await page.goBack();
      await page.goBack();
      await page.getByRole('group', { name: 'The flow of problems' }).waitFor();
    });

    it('says that the gateway does not answer, and goes on by itself when it does', async () => {
      await stream();
      const page = await tabs.tab(harness.service.address ?? '');
      await page.route('**/v1/**', (route) => route.abort());
      await page.goto('/');
      await page.getByRole('alert').getByText('The gateway does not answer.').waitFor();
      await page.unroute('**/v1/**');
      await page.getByRole('group', { name: 'The flow of problems' }).waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      tabs.complaints.splice(0);
    });
  });

  describe('a target', () => {
    it('shows bins, the working set with value and interval, and moves with their reasons', async () => {
      const page = await open('/targets');
      await page.getByRole('main').getByRole('link', { name: /model/ }).click();
      await page.getByRole('img', { name: /at the newest evaluation 1 hard/ }).waitFor();
      const first = page.getByRole('table', { name: 'Working set' }).getByRole('row').nth(1);
      expect(await first.innerText()).toMatch(/Title of sum.*#1.*medium.*40% 20%–60%.*3 of 8/s);
      await page.locator('label', { hasText: 'hard' }).click();
      await page.waitForURL('**/targets/model?bin=hard');
      await page.getByRole('tab', { name: 'Moves' }).click();
      const move = page.getByRole('table', { name: 'Moves between bins' }).getByRole('row').nth(1);
      expect(await move.innerText()).toMatch(/Title of sum.*medium.*hard.*posterior lies/s);
    });
  });

  describe('one problem', () => {
    it('is told whole, and nothing of a hostile statement runs', async () => {
      const page = await open(`/problems/${idOf('sum')}`);
      const cleaned = page.getByRole('region', { name: 'Statement: cleaned' });
      await cleaned.getByRole('listitem').first().waitFor();
      expect(await cleaned.getByRole('listitem').allInnerTexts()).toEqual(['read a', 'read b']);
      expect(await cleaned.locator('img, script, [onerror], [style]').count()).toBe(0);
      expect(await page.evaluate('typeof window.hurt')).toBe('undefined');
      await page.getByText('as written').click();
      const original = page.getByRole('region', { name: 'Statement: as it came' });
      expect(await original.innerText()).toContain('<p>Add <b>two</b> numbers.</p>');

      await page.getByRole('button', { name: 'Show the tests' }).click();
      await page.getByText('hidden-output').waitFor();
      await page.getByRole('img', { name: /Posterior of the pass rate: mean 44%/ }).waitFor();
      await page.getByRole('img', { name: 'Pass rate from evaluation to evaluation: 30%, 44%' }).waitFor();
      await page.getByText('5 of 8 passed').click();
      await page.getByText('printed <b>7</b>').first().waitFor();
      await page.getByRole('link', { name: 'Title of twin' }).waitFor();
      expect(await page.title()).toBe('Title of sum · Tidemark');
    });

    it('says why it was stopped, by whom, and leads to the one that it resembles', async () => {
      const page = await open(`/problems/${idOf('twin')}`);
      await page.getByText('It was stopped: near_duplicate.').waitFor();
      await page.getByRole('link', { name: idOf('sum') }).click();
      await page.getByRole('heading', { name: 'Title of sum', level: 1 }).waitFor();
    });

    it('that is not there is said to be not there', async () => {
      const page = await open(`/problems/${'0'.repeat(32)}`);
      await page.getByText('There is no such problem.').waitFor();
      tabs.complaints.splice(0);
    });
  });

  describe('dead letters', () => {
    it('are shown with their record, and why one can not be handled again, and are put away', async () => {
      const page = await open('/dead-letters');
      await page.getByRole('link', { name: 'nobody foresaw this' }).click();
      await page.getByRole('region', { name: 'The record, without contents' }).waitFor();
      await page.getByRole('button', { name: 'Handle it again' }).click();
      await page.getByText('The service has never started with this release').waitFor();
      await page.getByRole('button', { name: 'Put it away' }).click();
      await page.getByText('No record lies aside.').waitFor();
    });
  });

  describe('everywhere', () => {
    const paths = (): string[] => [
      '/',
      '/targets',
      '/targets/model',
      '/targets/model?view=moves',
      '/problems',
      `/problems/${idOf('sum')}`,
      `/problems/${idOf('secret')}`,
      '/dead-letters?state=all',
      '/services',
    ];
    const settled = async (page: Page, path: string) => {
      await page.goto(path);
      await page.getByRole('status').getByText(/live/).waitFor();
      await page.waitForLoadState('load');
      const waiting = () => page.locator('.mantine-Skeleton-root').count();
      await expect.poll(waiting, { timeout: 15_000, message: path }).toBe(0);
    };

    it('axe finds nothing serious: light, dark, and at 320 pixels, where nothing is wider than the page', async () => {
      const page = await open('/');
      for (const path of paths()) {
        await page.setViewportSize({ width: 1280, height: 800 });
        await page.emulateMedia({ colorScheme: 'light' });
        await settled(page, path);
        const light = await seriousFindings(page);
        await page.emulateMedia({ colorScheme: 'dark' });
        const dark = await seriousFindings(page, 'color-contrast');
        await page.setViewportSize({ width: 320, height: 640 });
        const narrow = await seriousFindings(page);
        const width = await page.evaluate('document.scrollingElement.scrollWidth');
        expect({ path, light, dark, narrow, width }).toEqual({ path, light: [], dark: [], narrow: [], width: 320 });
      }
    }, 300_000);
  });

  describe(`with ${MANY} problems`, () => {
    beforeAll(async () => {
      await harness.query(
        `INSERT INTO problem (problem_id, state, stage, reason, title, namespace, record_id, version)
         SELECT md5(n::text), CASE WHEN n % 3 = 0 THEN 'rejected' ELSE 'waiting' END, 'normalize', 'stage:normalize',
           'Made ' || n, 'made', n::text, 1 FROM generate_series(1, $1) AS n`,
        [MANY],
      );
    });

    it('has a handful of rows in the page, and finds one by keyboard', async () => {
      const page = await open('/problems');
      const rows = page.getByRole('table', { name: 'Problems' }).getByRole('row');
      await rows.nth(10).waitFor();
      await page.getByRole('table', { name: 'Problems' }).focus();
      for (let press = 0; press < 3; press++) {
        await page.keyboard.press('End');
        await page.waitForTimeout(150);
      }
      expect(await rows.count()).toBeLessThan(80);
      await page.keyboard.press('/');
      expect(await page.evaluate('document.activeElement.type')).toBe('search');
      await page.keyboard.type('Made 77777');
      await page.waitForURL('**/problems?q=Made+77777');
      await page.getByRole('link', { name: 'Made 77777' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('table', { name: 'Problems' }).focus();
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Made 77777', level: 1 }).waitFor();
    });

    it('goes on telling what changes', async () => {
      const page = await open('/');
      await page.getByRole('link', { name: /Problems\s*100,00\d/ }).waitFor();
      await harness.publish(topics.problemsStatus, ...stopped('latest', Stage.INGEST, 'quite_new'));
      await page.getByRole('link', { name: 'quite new 1' }).waitFor();
    });
  });
});

describeWithBrowser('the console of a gateway with an access token', (tabs) => {
  let harness: StageHarness;
  beforeAll(async () => {
    harness = await startStage(gatewayService, { http: true, accessToken: 'token-of-sixteen' });
  });
  afterAll(async () => {
    await tabs.closeTabs();
    await harness?.stop();
  });

  it('asks for it, says when it is wrong, and keeps it for the tab', async () => {
    const page = await tabs.tab(harness.service.address ?? '');
    await page.goto('/');
    const input = page.getByLabel('Access token', { exact: true });
    await input.fill('not-the-token');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('This is not the token').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await input.fill('token-of-sixteen');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('Nothing has flowed yet').waitFor();
    await page.reload();
    await page.getByText('Nothing has flowed yet').waitFor();
  });
});
