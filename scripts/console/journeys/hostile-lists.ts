/** Lists whose every text tries to be more than text: keys, accounts, models, providers. */
import type { BrowserContext, Page } from 'playwright-core';
import { openPage } from '../browser.ts';
import type { Checks } from '../checks.ts';
import type { DevGateway } from '../dev-gateway.ts';
import { HOSTILE } from '../hostile.ts';

const NOW = new Date().toISOString();
const COMMON = { createdAt: NOW, revokedAt: null, previousUntil: null, parentId: null, lastUsedAt: null };

const LISTS: readonly { readonly path: string; readonly row: (text: string, index: number) => object }[] = [
  {
    path: 'keys',
    row: (text, index) => ({
      ...COMMON,
      id: `key-${index}`,
      // Of ids the API takes a few letters only.
      accountId: `a${index}`,
      memberId: `m${index}`,
      name: text,
      prefix: text,
      rights: { models: [text], providers: [text] },
      state: 'active',
      source: 'database',
      spent30dUsd: text,
    }),
  },
  {
    path: 'accounts',
    row: (text, index) => ({ id: `a${index}`, name: text, kind: 'prepaid', status: 'active', createdAt: NOW }),
  },
  {
    path: 'models',
    row: (text, index) => ({
      id: `owner/${index}`,
      owner: text,
      displayName: text,
      aliases: [text],
      inputModalities: [text],
      outputModalities: [text],
      reasoning: false,
      contextLength: 1,
      maxOutputTokens: 1,
      createdDay: text,
      retiring: null,
      callable: true,
      whyNot: null,
      endpoints: [],
    }),
  },
  {
    path: 'providers',
    row: (text, index) => ({
      id: `p${index}`,
      credential: 'database',
      storedAt: NOW,
      displayName: text,
      configured: true,
      origins: [text],
      credentials: [],
      models: 1,
      openCircuits: 0,
      retryBudget: { left: 1, max: 1, percent: 1 },
    }),
  },
];

const ROW_PX = 32;

/** Only what is in view is drawn: all of it is brought into view. */
async function scrollThrough(page: Page): Promise<void> {
  const region = page.locator('[role=region]').first();
  for (let top = 0; top < HOSTILE.length * ROW_PX; top += 640) {
    await region.evaluate((element, to) => element.scrollTo(0, to), top);
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
  }
}

export async function listsStayText(context: BrowserContext, gateway: DevGateway, checks: Checks): Promise<void> {
  const { page, troubles } = await openPage(context);
  for (const { path, row } of LISTS) {
    await page.route(new RegExp(`/admin/v1/${path}(\\?|$)`), (route) =>
      route.fulfill({ json: { items: HOSTILE.map(row), next: null } }),
    );
    await page.goto(`${gateway.adminUrl}/console/${path}`);
    await page.locator('[role=rowgroup] [role=row]').first().waitFor();
    await scrollThrough(page);
    const made = await page.locator('main iframe, main script, main img, main style').count();
    checks.is(
      `${path}: ${HOSTILE.length} hostile texts stay text`,
      [await page.evaluate('typeof window.__hacked'), made],
      ['undefined', 0],
    );
  }
  checks.is('and no trouble in these lists', troubles, []);
  await page.close();
}
