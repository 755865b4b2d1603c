/** Every page in several widths, themes and languages: a picture for people, axe-core for the rest. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { openPage, seriousFindings, THEMES, WIDTHS, type Width, waitUntilDrawn } from './browser.ts';
import type { Checks } from './checks.ts';

const MAX_CALLS = 3;
const SHOTS = fileURLToPath(new URL('./shots/', import.meta.url));

export type Pictured = {
  readonly name: string;
  readonly path: string;
  /** More calls than a page may make, where something is open beside it. */
  readonly moreCalls?: number;
  /** The name of a button that is pressed before. */
  readonly press?: RegExp;
};
export type State = Awaited<ReturnType<import('playwright-core').BrowserContext['storageState']>>;

/** How a page is looked at. */
export type Look = {
  readonly width: Width;
  readonly theme: (typeof THEMES)[number];
  readonly language: string;
};

export const ENGLISH_LOOKS: readonly Look[] = (Object.keys(WIDTHS) as Width[]).flatMap((width) =>
  THEMES.map((theme) => ({ width, theme, language: 'en-US' })),
);

/** Each language on both widths and in both themes. */
export const LANGUAGE_LOOKS: readonly Look[] = [
  { width: 'desktop', theme: 'light', language: 'de-DE' },
  { width: 'phone', theme: 'dark', language: 'de-DE' },
  { width: 'desktop', theme: 'dark', language: 'zh-CN' },
  { width: 'phone', theme: 'light', language: 'zh-CN' },
];

/** Quickly: each page with one of the looks, in turn. */
export async function takePictures(
  browser: Browser,
  adminUrl: string,
  state: State,
  pages: readonly Pictured[],
  looks: readonly Look[],
  checks: Checks,
  isQuick = false,
): Promise<void> {
  mkdirSync(SHOTS, { recursive: true });
  for (const [turn, { width, theme, language }] of looks.entries()) {
    const context = await browser.newContext({
      storageState: state,
      viewport: WIDTHS[width],
      colorScheme: theme,
      timezoneId: 'Europe/Berlin',
      locale: language,
    });
    const { page, troubles, calls } = await openPage(context);
    const due = pages.filter((_, at) => !isQuick || at % looks.length === turn);
    for (const { name, path, moreCalls = 0, press } of due) {
      calls.length = 0;
      await page.goto(`${adminUrl}/console${path}`);
      await waitUntilDrawn(page);
      if (press !== undefined) {
        await page.getByRole('button', { name: press }).click();
        await page.getByRole('dialog').waitFor();
      }
      const look = `${width}-${theme}${language === 'en-US' ? '' : `-${language}`}`;
      await page.screenshot({ path: join(SHOTS, `${name}-${look}.png`) });
      const label = `${name}, ${look}`;
      checks.is(`${label}: axe-core finds nothing serious`, await seriousFindings(page), []);
      const overflow = 'document.documentElement.scrollWidth <= document.documentElement.clientWidth';
      checks.is(`${label}: no horizontal overflow`, await page.evaluate(overflow), true);
      // Who is signed in is asked for once, not by each page.
      const asked = calls.filter((call) => call !== '/admin/v1/me').length;
      checks.holds(`${label}: ${asked} calls of the API`, asked <= MAX_CALLS + moreCalls);
    }
    checks.is(`${width}, ${theme}, ${language}: no errors, no violation of the policy`, troubles, []);
    await context.close();
  }
}
