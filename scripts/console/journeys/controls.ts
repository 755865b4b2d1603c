/** Controls that every page has: filters while one types Chinese, an account out of many, the focus after a dialog. */
import type { Page } from 'playwright-core';
import { drawnAgain, focusedText, type Watched } from '../browser.ts';
import type { Checks } from '../checks.ts';
import { admin, type DevGateway } from '../dev-gateway.ts';

const MANY = Array.from({ length: 450 }, (_, at) => {
  const id = `many-${String(at).padStart(3, '0')}`;
  return { id, name: `Customer ${at}`, kind: 'prepaid', status: 'active', parentId: null, rateLimits: null };
});

/** More accounts than a page of the API has. */
async function withManyAccounts(page: Page, run: () => Promise<void>): Promise<void> {
  const path = /\/admin\/v1\/accounts\?/;
  await page.route(path, (route) => {
    const query = new URL(route.request().url()).searchParams;
    const q = query.get('q')?.toLowerCase() ?? '';
    const found = MANY.filter(({ id, name }) => id.includes(q) || name.toLowerCase().includes(q));
    const items = found.slice(0, Math.min(Number(query.get('limit') ?? '50'), 200));
    const next = items.length < found.length ? items.at(-1)?.id : null;
    return route.fulfill({
      json: { items: items.map((each) => ({ ...each, createdAt: '2026-01-01T00:00:00Z' })), next },
    });
  });
  await run();
  // A page that still follows this list would ask the real one to go on after a row that it does not have.
  await page.goto('about:blank');
  await page.unroute(path);
}

async function choosesOneOfMany(page: Page, gateway: DevGateway, checks: Checks): Promise<void> {
  await page.goto(`${gateway.adminUrl}/console/keys`);
  await page.getByRole('button', { name: 'All accounts' }).click();
  await page.getByPlaceholder('Account').fill('customer 440');
  await page.getByRole('option', { name: 'Customer 440' }).click();
  await page.waitForURL(/account=many-440/);
  checks.holds('an account behind the first page of the list can be chosen', true);

  await page.goto(`${gateway.adminUrl}/console/keys?create=yes`);
  const dialog = page.getByRole('dialog', { name: 'Create a key' });
  await dialog.getByLabel(/^Account/).click();
  await page.getByPlaceholder('Account').fill('customer 441');
  await page.getByRole('option', { name: 'Customer 441' }).click();
  await dialog
    .getByLabel(/^Account/)
    .getByText('many-441')
    .waitFor();
  checks.holds('for a new key as well', true);

  await page.goto(`${gateway.adminUrl}/console/settings`);
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder(/Page, action, request id/).fill('customer 442');
  await page.getByRole('option', { name: 'Customer 442' }).click();
  await page.waitForURL(/account=many-442/);
  checks.holds('and in the palette', true);
}

/** Enter takes the letters that an input method offers; it is not meant for the page. */
async function typesWithAnInputMethod(page: Page, gateway: DevGateway, checks: Checks): Promise<void> {
  await page.goto(`${gateway.adminUrl}/console/accounts`);
  const box = page.getByRole('textbox', { name: 'Filter' });
  await box.fill('zhong');
  for (const composing of [{ isComposing: true }, { keyCode: 229 }])
    for (const key of ['Enter', 'Escape']) await box.dispatchEvent('keydown', { key, bubbles: true, ...composing });
  await drawnAgain(page);
  const found = [
    await box.inputValue(),
    new URL(page.url()).search,
    await box.evaluate((each) => each.matches(':focus')),
  ];
  checks.is('Enter and Escape of an input method leave the filter alone', found, ['zhong', '', true]);
  await box.press('Enter');
  await page.waitForURL(/q=zhong/);
  await page.getByRole('button', { name: 'Create' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Create an account' });
  await dialog.getByLabel(/^Name/).dispatchEvent('keydown', { key: 'Escape', bubbles: true, isComposing: true });
  await drawnAgain(page);
  checks.holds('nor does Escape of an input method close a dialog', await dialog.isVisible());
}

async function keepsTheFocus(page: Page, gateway: DevGateway, checks: Checks): Promise<void> {
  await page.goto(`${gateway.adminUrl}/console/accounts`);
  const create = page.getByRole('button', { name: 'Create' }).first();
  await create.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Create an account' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  checks.is('after a dialog the focus is where it was', await focusedText(page), 'Create');

  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  checks.is('after the palette as well', await focusedText(page), 'Create');

  await page.getByRole('button', { name: 'Add filter' }).click();
  await page.getByRole('option', { name: 'Id or name' }).click();
  await page.getByRole('listbox').waitFor({ state: 'detached' });
  await drawnAgain(page);
  await page.keyboard.type('acme');
  const box = page.getByRole('textbox', { name: 'Filter' });
  checks.is('a filter that is chosen is typed on', await box.inputValue(), 'q:acme');
}

/** Names of things and of actions; the first one found is what was meant. */
async function findsByName(page: Page, gateway: DevGateway, checks: Checks): Promise<void> {
  await admin(gateway, 'POST', '/accounts/default/members', { name: 'Dora', role: 'viewer' });
  await page.goto(`${gateway.adminUrl}/console/settings`);
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  for (const [typed, found] of [
    ['groq', 'Groq'],
    ['echo', 'simulator/echo'],
    ['dora', 'Dora'],
    ['create key', 'Create a key'],
    ['dark', 'Theme: Dark'],
    ['nodes', 'Settings: Nodes'],
  ] as const) {
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder(/Page, action, request id/).fill(typed);
    await page.getByRole('option', { name: found }).first().waitFor();
    checks.holds(`the palette finds “${typed}”`, true);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  await page.goto(`${gateway.adminUrl}/console/requests`);
  const box = page.getByRole('textbox', { name: 'Filter' });
  await box.fill('nonsense:1');
  await box.press('Enter');
  await page.getByText('Unknown filter “nonsense”. Try outcome:…').waitFor();
  checks.is('an unknown filter is said to be unknown, and stays to be mended', await box.inputValue(), 'nonsense:1');
}

export async function usesControls({ page }: Watched, gateway: DevGateway, checks: Checks): Promise<void> {
  await typesWithAnInputMethod(page, gateway, checks);
  await findsByName(page, gateway, checks);
  await keepsTheFocus(page, gateway, checks);
  await withManyAccounts(page, () => choosesOneOfMany(page, gateway, checks));
}
