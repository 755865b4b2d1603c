/** The console in Debian's chromium: pages that report every error of theirs, every violation of the policy and every call of the API. */
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { browserProgram } from '../docs/site/browser.ts';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

export const WIDTHS = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;
export type Width = keyof typeof WIDTHS;
export const THEMES = ['light', 'dark'] as const;

export type Watched = {
  readonly page: Page;
  /** Errors and warnings of the page, and refused loads. */
  readonly troubles: string[];
  /** Calls of the admin API since the last reset, streams left out. */
  readonly calls: string[];
};

export async function openBrowser(): Promise<Browser> {
  const program = browserProgram();
  if (program === undefined) throw new Error('there is no chromium on this machine');
  return chromium.launch({ executablePath: program, args: ['--no-sandbox'] });
}

/** How a page learns that it must ask for a sign-in, or that something does not exist; browsers report it all the same. */
const EXPECTED = /status of 40[14]/;

export async function openPage(context: BrowserContext): Promise<Watched> {
  const page = await context.newPage();
  const [troubles, calls]: [string[], string[]] = [[], []];
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type()) || EXPECTED.test(message.text())) return;
    // Chromium names what it could not load only here.
    troubles.push(`${message.text()} (${message.location().url})`);
  });
  page.on('request', (request) => {
    const { pathname, host, protocol } = new URL(request.url());
    // What a page holds in memory is its own.
    if (protocol !== 'blob:' && host !== new URL(page.url()).host && page.url() !== 'about:blank')
      troubles.push(`a foreign address: ${request.url()}`);
    if (pathname.startsWith('/admin/v1/') && request.resourceType() !== 'eventsource') calls.push(pathname);
  });
  return { page, troubles, calls };
}

export async function signInWithSecret(page: Page, adminUrl: string, operatorSecret: string): Promise<void> {
  await page.goto(`${adminUrl}/console/sign-in`);
  await page.getByLabel(/Operator secret/).fill(operatorSecret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/console\/(requests|overview)/);
}

export type HeldAnswer = {
  /** Fulfilled when the page has asked. */
  readonly isAsked: Promise<unknown>;
  /** Gives the page its answer, and waits until it is drawn. */
  readonly release: () => Promise<void>;
};

/** Keeps back the first answer to a request of this path and body, as a slow network would. */
export async function holdAnswer(
  page: Page,
  path: RegExp,
  isHeld: (body: string | null) => boolean = () => true,
): Promise<HeldAnswer> {
  const moments = new EventEmitter();
  const [isAsked, isReleased, isGiven] = ['asked', 'released', 'given'].map((moment) => once(moments, moment));
  let isTaken = false;
  await page.route(path, async (route) => {
    if (isTaken || !isHeld(route.request().postData())) return route.fallback();
    isTaken = true;
    const response = await route.fetch();
    moments.emit('asked');
    await isReleased;
    // A page that gave up on the answer has closed the request.
    await route.fulfill({ response }).catch(() => undefined);
    moments.emit('given');
  });
  return {
    isAsked: isAsked as Promise<unknown>,
    release: async () => {
      moments.emit('released');
      await isGiven;
      await page.unroute(path);
      await drawnAgain(page);
    },
  };
}

/** What the page was about to draw is drawn. */
export const drawnAgain = (page: Page): Promise<unknown> =>
  page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');

/** The text of what has the focus, after what a closing dialog does last. */
export async function focusedText(page: Page): Promise<unknown> {
  await drawnAgain(page);
  return page.evaluate('(({ ariaLabel, textContent }) => ariaLabel ?? textContent)(document.activeElement)');
}

/** Nothing is loading any more, charts included: they come after the page. */
export async function waitUntilDrawn(page: Page): Promise<void> {
  await page.locator('h1').waitFor();
  await page.waitForLoadState('load');
  await page.locator('[data-loading]').first().waitFor({ state: 'detached' });
  await page.locator('[data-chart=loading]').first().waitFor({ state: 'detached' });
}

type AxeFinding = {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
};

/** What axe-core calls serious or critical. */
export async function seriousFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
    violations: readonly AxeFinding[];
  };
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}
