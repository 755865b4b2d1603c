/** A key from its creation to its end: made in the browser, used by an SDK, seen, rotated, revoked. */
import OpenAI from 'openai';
import type { Locator, Page } from 'playwright-core';
import { focusedText, type Watched, waitUntilDrawn } from '../browser.ts';
import type { Checks } from '../checks.ts';
import { admin, type DevGateway } from '../dev-gateway.ts';

const NAME = 'e2e <img src=x onerror="window.__hacked=1">';
const EMAIL = 'a.person@first.example';
const WAIT_MS = 20_000;

/** The text of an answer, or the status of the refusal. */
async function callWith({ url }: DevGateway, secret: string): Promise<string | number> {
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: secret, maxRetries: 0 });
  try {
    const answer = await openai.chat.completions.create({
      model: 'simulator/echo',
      max_tokens: 64,
      messages: [{ role: 'user', content: 'Hello with a new key' }],
    });
    return answer.choices[0]?.message.content ?? '';
  } catch (error) {
    if (error instanceof OpenAI.APIError && error.status !== undefined) return error.status;
    throw error;
  }
}

async function waitFor(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const untilMs = Date.now() + WAIT_MS;
  while (!(await isSo())) {
    if (Date.now() > untilMs) throw new Error(`${what}: not within ${WAIT_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** The secret that is shown once. The dialog closes only for those who say that they stored it. */
async function takeSecret(page: Page, opener: string, checks: Checks): Promise<string> {
  const dialog = page.getByRole('dialog', { name: /^Secret of/ });
  const secret = (await dialog.locator('code').first().textContent()) ?? '';
  checks.holds('the secret is shown', /^sk-trivium-/.test(secret));
  const close = dialog.getByRole('button', { name: 'Close' });
  await page.keyboard.press('Escape');
  checks.holds('and stays until it is stored', (await close.isDisabled()) && (await dialog.isVisible()));
  await dialog.getByLabel('I have stored it').check();
  await close.click();
  await dialog.waitFor({ state: 'detached' });
  checks.holds('then it is nowhere on the page', !(await page.content()).includes(secret));
  checks.is('and the focus is on the button it began with', await focusedText(page), opener);
  return secret;
}

/** From a list that is asked for what is typed. */
async function chooses(page: Page, dialog: Locator, label: string, text: string, typed = text): Promise<void> {
  await dialog.getByLabel(new RegExp(`^${label}`)).click();
  await page.getByPlaceholder(label, { exact: true }).fill(typed);
  await page.getByRole('option', { name: text }).click();
}

/** A member belongs to one account: the key of another cannot have it. */
async function forgetsTheMember(page: Page, gateway: DevGateway, checks: Checks): Promise<void> {
  for (const account of ['e2e-first', 'e2e-second'])
    await admin(gateway, 'POST', '/accounts', { id: account, name: account, kind: 'unlimited' });
  await admin(gateway, 'POST', '/accounts/e2e-first/members', { name: 'Bea', email: EMAIL, role: 'developer' });
  await page.goto(`${gateway.adminUrl}/console/keys?create=yes`);
  const dialog = page.getByRole('dialog', { name: 'Create a key' });
  await dialog.getByLabel(/^Name/).fill('for nobody');
  await chooses(page, dialog, 'Account', 'e2e-first');
  await chooses(page, dialog, 'Member', 'Bea', EMAIL);
  await dialog.getByText('The same in a terminal').click();
  await dialog.getByText(/--member mem_/).waitFor();
  await chooses(page, dialog, 'Account', 'e2e-second');
  await dialog.getByText(/trivium keys create e2e-second/).waitFor();
  checks.is('another account, and the member is none', await dialog.getByText(/memberId|--member/).count(), 0);
}

async function create(page: Page, gateway: DevGateway, checks: Checks): Promise<string> {
  await page.goto(`${gateway.adminUrl}/console/keys`);
  await page.getByRole('button', { name: 'Create' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Create a key' });
  await chooses(page, dialog, 'Account', 'default');
  await dialog.getByLabel(/^Name/).fill(NAME);
  await dialog.getByLabel(/^Models/).fill('simulator/*');
  await dialog.getByLabel(/^Budget in US dollars/).fill('5');
  await dialog.getByText('May use simulator/*.').waitFor();
  await dialog.getByText('At most $5.00 a month.').waitFor();
  await dialog.getByText('The same in a terminal').click();
  await dialog.getByText(/trivium keys create default --name/).waitFor();
  checks.holds('the form says in words and as a command what it will make', true);
  await dialog.getByRole('button', { name: 'Create' }).click();
  return takeSecret(page, 'Create', checks);
}

async function rotate(page: Page, checks: Checks): Promise<string> {
  await page.getByRole('button', { name: 'Rotate' }).click();
  const dialog = page.getByRole('dialog', { name: /^Rotate/ });
  await dialog.getByLabel(/^How long the old secret still works/).selectOption('3600');
  await dialog.getByRole('button', { name: 'Make a new secret' }).click();
  return takeSecret(page, 'Rotate', checks);
}

async function revoke(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Revoke' }).click();
  const dialog = page.getByRole('dialog', { name: /^Revoke/ });
  const typed = dialog.getByLabel(/^Type/);
  if ((await typed.count()) > 0) await typed.fill(NAME);
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await dialog.waitFor({ state: 'detached' });
}

export async function keyLives({ page }: Watched, gateway: DevGateway, checks: Checks): Promise<string> {
  await forgetsTheMember(page, gateway, checks);
  const secret = await create(page, gateway, checks);
  checks.holds('an SDK calls with the new key', typeof (await callWith(gateway, secret)) === 'string');
  await page.getByRole('link', { name: NAME }).click();
  await page.waitForURL(/\/keys\/key_/);
  const path = new URL(page.url()).pathname.replace('/console', '');
  await waitFor('the request of the key is shown', async () => {
    await page.reload();
    await page.getByRole('heading', { name: NAME }).waitFor();
    await waitUntilDrawn(page);
    return (await page.getByText('simulator/echo').count()) > 0;
  });
  checks.holds('its page shows the request', true);
  const next = await rotate(page, checks);
  const both = [typeof (await callWith(gateway, secret)), typeof (await callWith(gateway, next))];
  checks.is('after rotation both secrets work for an hour', both, ['string', 'string']);
  await revoke(page);
  await page.getByText('revoked', { exact: true }).first().waitFor();
  await waitFor('a call with the revoked key fails', async () => (await callWith(gateway, next)) === 401);
  checks.is('revoked, the old secret fails as well', await callWith(gateway, secret), 401);
  checks.is('the name of the key stays text', await page.evaluate('typeof window.__hacked'), 'undefined');
  return path;
}
