/** Every page in two widths and two themes, or quickly in one of the four in turn: a picture for people, axe-core for the rest. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { openPage, seriousFindings, THEMES, WIDTHS, type Width, waitUntilDrawn } from './browser.ts';
import type { Checks } from './checks.ts';

const MAX_CALLS = 3;

export type Pictured = {
  readonly name: string;
  readonly path: string;
  /** More calls than a page may make, where something is open beside it. */
  readonly moreCalls?: number;
};
export type State = Awaited<ReturnType<import('playwright-core').BrowserContext['storageState']>>;

export async function takePictures(
  browser: Browser,
  adminUrl: string,
  state: State,
  pages: readonly Pictured[],
  folder: string,
  checks: Checks,
  isQuick: boolean,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const widths = Object.keys(WIDTHS) as Width[];
  for (const [row, width] of widths.entries())
    for (const [column, theme] of THEMES.entries()) {
      const turn = row * THEMES.length + column;
      const isDue = (at: number): boolean => !isQuick || at % (widths.length * THEMES.length) === turn;
      const context = await browser.newContext({
        storageState: state,
        viewport: WIDTHS[width],
        colorScheme: theme,
        timezoneId: 'Europe/Berlin',
        locale: 'en-US',
      });
      const { page, troubles, calls } = await openPage(context);
      for (const { name, path, moreCalls = 0 } of pages.filter((_, at) => isDue(at))) {
        calls.length = 0;
        await page.goto(`${adminUrl}/console${path}`);
        await waitUntilDrawn(page);
        await page.screenshot({ path: join(folder, `${name}-${width}-${theme}.png`) });
        const label = `${name}, ${width}, ${theme}`;
        checks.is(`${label}: axe-core finds nothing serious`, await seriousFindings(page), []);
        const overflow = 'document.documentElement.scrollWidth <= document.documentElement.clientWidth';
        checks.is(`${label}: nothing stands out sideways`, await page.evaluate(overflow), true);
        // Who is signed in is asked for once, not by each page.
        const asked = calls.filter((call) => call !== '/admin/v1/me').length;
        checks.holds(`${label}: ${asked} calls of the API`, asked <= MAX_CALLS + moreCalls);
      }
      checks.is(`${width}, ${theme}: no errors, no violation of the policy`, troubles, []);
      await context.close();
    }
}
