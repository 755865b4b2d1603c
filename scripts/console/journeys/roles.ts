/** Every page of the console as every role: what the role may not do is neither in the menu nor on a page, and nothing fails. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { ADMIN_ROUTES, OPEN_ROUTES } from '../../../packages/gateway/src/control/slices.ts';
import { ROLES } from '../../../packages/gateway/src/people/accounts/rights.ts';
import { drawnAgain, openPage, waitUntilDrawn } from '../browser.ts';
import type { Checks } from '../checks.ts';
import { admin, type DevGateway } from '../dev-gateway.ts';
import { POLICY_PATH } from './policies.ts';

type Listed = { readonly path: string; readonly role: string; readonly label: string };

/** What the router is made of. Loaded by its address, because the types of a browser are not those of this program. */
const PAGES = new URL('../../../packages/console/src/app/pages.ts', import.meta.url).href;
const { SECTIONS, SUBPAGES } = (await import(PAGES)) as Readonly<Record<'SECTIONS' | 'SUBPAGES', readonly Listed[]>>;

const RANKS: readonly string[] = ['public', ...ROLES, 'operator'];
const NO_ACCESS = 'This page does not exist, or your role may not see it.';
const API = '/admin/v1';

/** The literal ones first: `/requests/histogram` is not `/requests/{id}`. */
const ROUTES = [...OPEN_ROUTES, ...ADMIN_ROUTES]
  .map(({ method, path, permission }) => ({
    method,
    permission,
    params: path.split('{').length,
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
  .sort((one, other) => one.params - other.params);

/** `POST /admin/v1/accounts/acme/keys`: whether a role may. */
function may(role: string, call: string): boolean {
  const [method, path = ''] = call.split(' ');
  const below = path.slice(API.length);
  const route = ROUTES.find((each) => each.method === method && each.pattern.test(below));
  return route !== undefined && RANKS.indexOf(role) >= RANKS.indexOf(route.permission);
}

type Subjects = Readonly<Record<string, string>>;

/** By the path of a page: what its parameters stand for. */
async function subjectsOf(gateway: DevGateway, account: string): Promise<Subjects> {
  const first = async (path: string): Promise<string> => {
    const { items } = (await admin(gateway, 'GET', path)) as { items: readonly { readonly id: string }[] };
    return items[0]?.id ?? '';
  };
  return {
    '/requests/$id': `/requests/${await first(`/accounts/${account}/requests`)}`,
    '/keys/$id': `/keys/${await first(`/accounts/${account}/keys`)}`,
    '/accounts/$id': `/accounts/${account}`,
    '/models/$owner/$name': '/models/simulator/echo',
    '/providers/$id': '/providers/simulator',
    '/policies/$name': POLICY_PATH,
    '/operations/$id': `/operations/${await first(`/accounts/${account}/operations`)}`,
  };
}

export async function signInAs(
  context: BrowserContext,
  gateway: DevGateway,
  account: string,
  role: string,
): Promise<Page> {
  const { page } = await openPage(context);
  const { id } = await admin(gateway, 'POST', `/accounts/${account}/members`, { name: `The ${role}`, role });
  const { url } = await admin(gateway, 'POST', `/accounts/${account}/members/${id}/sign-in-code`);
  await page.goto(String(url));
  await page.waitForURL(/\/console\/requests/);
  return page;
}

/** Calls that a role was refused, or should not have tried. Changes are not made: only who tries them is of interest. */
async function watchCalls(page: Page, role: string): Promise<string[]> {
  const wrong: string[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.startsWith(API) && (response.status() === 403 || response.status() >= 500))
      wrong.push(`${response.status()} ${response.request().method()} ${pathname}`);
  });
  await page.route(new RegExp(API), (route) => {
    const request = route.request();
    if (request.method() === 'GET') return route.fallback();
    const call = `${request.method()} ${new URL(request.url()).pathname}`;
    if (!may(role, call)) wrong.push(`tried ${call}`);
    return route.fulfill({ status: 409, json: { error: { code: 'conflict', message: 'not now' } } });
  });
  return wrong;
}

/** The calls that the page offers as lines for a terminal. */
const offeredCalls = (page: Page): Promise<readonly string[]> =>
  page.locator('pre, code').evaluateAll((blocks) =>
    blocks.flatMap(({ textContent }) => {
      const found = /^curl (?:-X (\w+) )?"\$TRIVIUM_ADMIN_URL"'([^'?]+)/.exec(textContent ?? '');
      return found === null ? [] : [`${found[1] ?? 'GET'} ${found[2]}`];
    }),
  );

/** Presses the buttons that no lesser role has seen in this place. Menus of a page only copy and choose. */
async function pressButtons(page: Page, role: string, place: string, pressed: Set<string>): Promise<readonly string[]> {
  const wrong: string[] = [];
  const buttons = page.locator('main button:enabled:not([role=tab]):not([aria-haspopup=menu]):visible');
  const texts = await buttons.evaluateAll((all) => all.map((each) => each.ariaLabel ?? each.textContent ?? ''));
  const address = page.url();
  for (const text of new Set(texts)) {
    const button = page.locator('main').getByRole('button', { name: text, exact: true }).first();
    if (pressed.has(`${place} ${text}`) || !(await button.isVisible())) continue;
    pressed.add(`${place} ${text}`);
    await button.click();
    await drawnAgain(page);
    for (const call of await offeredCalls(page)) if (!may(role, call)) wrong.push(`${place}, ${text}: offers ${call}`);
    if ((await page.getByRole('dialog').count()) > 0) await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    if (page.url() === address) continue;
    await page.goto(address);
    await waitUntilDrawn(page);
  }
  return wrong;
}

type Visit = { readonly page: Page; readonly role: string; readonly pressed: Set<string>; readonly wrong: string[] };

/** A page the role may see, with each of its tabs. */
async function looksAround({ page, role, pressed, wrong }: Visit, place: string): Promise<void> {
  const tabs = await page.locator('main [role=tab]').allTextContents();
  for (const tab of tabs.length === 0 ? [undefined] : tabs) {
    if (tab !== undefined) await page.getByRole('tab', { name: tab, exact: true }).click();
    await waitUntilDrawn(page);
    const here = tab === undefined ? place : `${place} ${tab}`;
    for (const text of await page.locator('main [role=alert]').allTextContents()) wrong.push(`${here}: ${text}`);
    wrong.push(...(await pressButtons(page, role, here, pressed)));
  }
}

/** `account`: one with a key, a request and an operation. */
export async function staysWithinRoles(
  browser: Browser,
  gateway: DevGateway,
  account: string,
  checks: Checks,
): Promise<void> {
  await admin(gateway, 'POST', `/accounts/${account}/webhooks`, { url: 'https://hooks.example/trivium' });
  // The operator's: its buttons are for no role of the account.
  await admin(gateway, 'POST', `/accounts/${account}/budget-templates`, {
    each: 'member',
    per: 'month',
    usd: '50',
    missing: 'shared',
  });
  const subjects = await subjectsOf(gateway, account);
  const pressed = new Set<string>();
  for (const role of ROLES) {
    const context = await browser.newContext({ locale: 'en-US' });
    const page = await signInAs(context, gateway, account, role);
    const wrong = await watchCalls(page, role);
    const isOpen = (least: string): boolean => RANKS.indexOf(role) >= RANKS.indexOf(least);
    const menu = page.getByRole('navigation', { name: 'Pages' }).first().getByRole('link');
    await menu.first().waitFor();
    const links = await menu.allTextContents();
    const allowed = SECTIONS.filter((section) => isOpen(section.role)).map(({ label }) => label);
    checks.is(`${role}: the menu has the pages of the role`, links, ['Trivium', ...allowed]);
    for (const { path, role: least } of [...SECTIONS, ...SUBPAGES]) {
      await page.goto(`${gateway.adminUrl}/console${subjects[path] ?? path}`);
      const refusal = page.getByText(NO_ACCESS);
      await page.locator('main h1').or(refusal).first().waitFor();
      if ((await refusal.isVisible()) === isOpen(least)) wrong.push(`${path}: ${isOpen(least) ? 'closed' : 'open'}`);
      else if (isOpen(least)) await looksAround({ page, role, pressed, wrong }, path);
    }
    await page.goto(`${gateway.adminUrl}/console/accounts/${account}?tab=budgets`);
    await page.getByRole('region', { name: /^Each member of account/ }).waitFor();
    const changes = await page.getByRole('button', { name: /^(Change|Remove) the budget for each/ }).count();
    checks.is(`${role}: the operator's budget for each member is read only`, changes, 0);
    checks.is(`${role}: pages show and do what the role may, and nothing fails`, wrong, []);
    await context.close();
  }
}
