/** An account made, paid, bounded and suspended in the browser; models and providers looked at. */
import type { Page } from 'playwright-core';
import { focusedText, type Watched } from '../browser.ts';
import type { Checks } from '../checks.ts';
import { admin, type DevGateway } from '../dev-gateway.ts';

const ID = 'e2e-acme';
const PARENT = 'e2e-company';
const NAME = 'Acme \u202e<script>window.__hacked=1</script>';

export const ACCOUNT_PATH = `/accounts/${ID}`;

async function create(page: Page, gateway: DevGateway, checks: Checks): Promise<void> {
  await page.goto(`${gateway.adminUrl}/console/accounts`);
  await page.getByRole('button', { name: 'Create' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Create an account' });
  await dialog.getByLabel(/^Name/).fill(NAME);
  await dialog.getByLabel(/^Id/).fill(ID);
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL(new RegExp(ACCOUNT_PATH));
  await page.getByText('No requests in the last 30 days.').waitFor();
  await page.getByText('prepaid').first().waitFor();
  checks.holds('an account is made, and its page opens', true);
}

async function pay(page: Page, checks: Checks): Promise<void> {
  await page.getByRole('button', { name: 'Add credit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add credit' });
  await dialog.getByLabel(/^US dollars/).fill('25.5');
  await dialog.getByLabel(/^Memo/).fill('first payment');
  await dialog.getByRole('button', { name: 'Add credit' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('$25.50').first().waitFor();
  await page.getByRole('tab', { name: 'Ledger' }).click();
  await page.getByText('first payment').waitFor();
  checks.holds('credit is added, and the ledger shows it', page.url().includes('tab=ledger'));
}

async function bound(page: Page, checks: Checks): Promise<void> {
  await page.getByRole('tab', { name: 'Budgets' }).click();
  await page.getByRole('button', { name: 'Set a budget', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Set a budget', exact: true });
  await dialog.getByLabel(/^US dollars/).fill('10');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('of $10.00').waitFor();
  await page.getByRole('button', { name: 'Remove the budget', exact: true }).click();
  await page.getByText('of $10.00').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('of $10.00').waitFor();
  checks.holds('a budget is set, removed, and back by undo', true);
}

async function invite(page: Page, checks: Checks): Promise<void> {
  await page.getByRole('tab', { name: 'Members' }).click();
  await page.getByRole('button', { name: 'Add a member' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a member' });
  await dialog.getByLabel(/^Name/).fill('Ann');
  await dialog.getByRole('button', { name: 'Add a member' }).click();
  const link = page.getByRole('dialog', { name: 'Sign-in link' });
  await link.getByLabel('I have stored it').check();
  await link.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Actions for Ann' }).waitFor();
  checks.holds('a member is added, with a link to sign in', true);
  await page.getByRole('button', { name: 'Actions for Ann' }).click();
  await page.getByRole('menuitem', { name: 'Change the role' }).click();
  await page.getByRole('dialog', { name: 'Role of Ann' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  checks.is('after a dialog of a menu the focus is on its button', await focusedText(page), 'Actions for Ann');
}

async function suspend(page: Page, checks: Checks): Promise<void> {
  await page.getByRole('button', { name: 'Suspend' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
  await page.getByText('suspended', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
  await page.getByRole('button', { name: 'Suspend' }).waitFor();
  checks.holds('the account is suspended and restored', true);
}

async function limit(page: Page, gateway: DevGateway, checks: Checks): Promise<void> {
  await page.getByRole('tab', { name: 'Rate limits' }).click();
  await page.getByRole('button', { name: 'Set rate limits' }).click();
  const dialog = page.getByRole('dialog', { name: 'Set rate limits' });
  await dialog.getByLabel(/^Requests a minute/).fill('120');
  await dialog.getByLabel(/^US dollars a minute/).fill('0.5');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('$0.50').waitFor();
  const { rateLimits } = await admin(gateway, 'GET', ACCOUNT_PATH);
  const { requestsPerMinute, usdPerMinute, ...others } = rateLimits as Record<string, number>;
  const found = [requestsPerMinute, usdPerMinute, others];
  checks.is('rate limits set in the console are those of the API', found, [120, 0.5, {}]);
}

async function standBelow(page: Page, gateway: DevGateway, checks: Checks): Promise<void> {
  await admin(gateway, 'POST', '/accounts', { id: PARENT, name: 'Company', kind: 'unlimited' });
  await page.getByRole('tab', { name: 'Group' }).click();
  await page.getByRole('button', { name: 'Set the parent' }).click();
  const dialog = page.getByRole('dialog', { name: 'Set the parent' });
  await dialog.getByLabel(/^Id of the parent account/).fill(PARENT);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: `below ${PARENT}` }).click();
  await page.getByRole('heading', { name: 'Company' }).waitFor();
  await page.getByRole('tab', { name: 'Group' }).click();
  await page.getByRole('link', { name: ID }).click();
  await page.getByRole('link', { name: `below ${PARENT}` }).waitFor();
  checks.holds('the parent is set, a link leads to it, and one back', page.url().includes(ACCOUNT_PATH));
}

async function search(page: Page, gateway: DevGateway, checks: Checks): Promise<void> {
  await page.goto(`${gateway.adminUrl}/console/accounts`);
  const row = (text: string) => page.getByRole('row').filter({ hasText: text });
  await row('Company').first().waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type(ID);
  await page.keyboard.press('Enter');
  await page.waitForURL(/q=/);
  await row('Company').waitFor({ state: 'detached' });
  await row(ID).getByRole('link', { name: PARENT }).waitFor();
  await row(ID).getByText('$25.50').waitFor();
  checks.holds('the list of accounts shows what is left', true);
  checks.is('a search for an account finds it alone, with its parent', await row(ID).count(), 1);
  await page.goto(`${gateway.adminUrl}/console${ACCOUNT_PATH}`);
}

export async function accountLives({ page }: Watched, gateway: DevGateway, checks: Checks): Promise<void> {
  await create(page, gateway, checks);
  await pay(page, checks);
  await bound(page, checks);
  await invite(page, checks);
  await limit(page, gateway, checks);
  await standBelow(page, gateway, checks);
  await search(page, gateway, checks);
  await suspend(page, checks);
  checks.is('the name of the account stays text', await page.evaluate('typeof window.__hacked'), 'undefined');
}

export async function looksAtModels({ page }: Watched, gateway: DevGateway, checks: Checks): Promise<void> {
  await page.goto(`${gateway.adminUrl}/console/models?callable=true`);
  await page.getByRole('link', { name: 'simulator/echo' }).click();
  await page.getByText('$0.60').waitFor();
  await page.getByRole('link', { name: 'simulator', exact: true }).click();
  await page.waitForURL(/\/providers\//);
  await page.getByRole('heading', { name: /^simulator$/i, level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Test the credential' }).click();
  await page.getByText('works', { exact: true }).waitFor();
  checks.holds('from a model to its provider, whose credential works', true);
}

/** A provider that no configuration names, found and given a credential. */
export async function addsProvider({ page }: Watched, gateway: DevGateway, checks: Checks): Promise<void> {
  await page.goto(`${gateway.adminUrl}/console/providers`);
  await page.getByRole('button', { name: 'Add a provider' }).click();
  await page.getByRole('row').filter({ hasText: 'Groq' }).getByRole('button', { name: 'Add credential' }).click();
  const dialog = page.getByRole('dialog', { name: 'Credential of Groq' });
  await dialog.getByLabel(/^Credential/).fill('gsk-not-a-real-one');
  checks.holds(
    'a credential can be tested before it is saved',
    await dialog.getByText('Test before saving').isEnabled(),
  );
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'In use' }).click();
  await page.getByRole('row').filter({ hasText: 'Groq' }).waitFor();
  checks.holds('a built-in provider is found, and in use once it has a credential', true);
}
