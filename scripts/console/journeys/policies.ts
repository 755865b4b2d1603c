/** A routing policy made, refused, changed, removed and saved again in the browser; a budget for each member set and read. */
import type { Page } from 'playwright-core';
import type { Watched } from '../browser.ts';
import type { Checks } from '../checks.ts';
import { admin, type DevGateway } from '../dev-gateway.ts';
import { ACCOUNT_PATH } from './accounts.ts';

const NAME = 'e2e-search';

export const POLICY_PATH = `/policies/${NAME}`;

async function create(page: Page, gateway: DevGateway, checks: Checks): Promise<void> {
  await page.goto(`${gateway.adminUrl}/console/policies`);
  await page.getByRole('button', { name: 'Create' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Create a policy' });
  await dialog.getByLabel(/^Name/).fill(NAME);
  await dialog.getByLabel(/^Scope/).selectOption('tag');
  await dialog.getByLabel(/^Tag/).fill('team=e2e');
  await dialog.getByLabel('Only these providers').first().fill('nowhere');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').filter({ hasText: 'nowhere' }).waitFor();
  checks.holds('what the API finds wrong with a policy is shown, and the form stays', await dialog.isVisible());
  await dialog.getByLabel('Only these providers').first().fill('simulator');
  await dialog.getByRole('button', { name: 'Add a fallback' }).click();
  await dialog.getByLabel('1. Model').fill('simulator/echo');
  await dialog.getByLabel('content filter').check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.waitForURL(new RegExp(POLICY_PATH));
  await page.getByText('simulator/echo (error, rate limit, prompt too long, content filter)').waitFor();
  checks.holds('a policy is made, and its page says what it says', true);
}

async function change(page: Page, checks: Checks): Promise<void> {
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: `Change ${NAME}` });
  await dialog
    .getByLabel(/^Strict/)
    .first()
    .check();
  await dialog.getByLabel('First content').fill('1.5');
  await dialog.getByLabel('Preview on a recent request').last().click();
  await page
    .getByRole('option', { name: /simulator/ })
    // The latest were made with a key that is revoked by now.
    .last()
    .click();
  await dialog.getByRole('button', { name: 'Preview', exact: true }).click();
  await dialog.getByRole('heading', { name: 'With this draft' }).waitFor();
  checks.holds(
    'a draft is previewed on a recent request, before and after',
    await dialog.getByRole('heading', { name: 'Now' }).isVisible(),
  );
  const whatIf = dialog.getByRole('region', { name: 'What if' });
  await whatIf.getByRole('combobox').selectOption('7 days');
  await whatIf.getByRole('button', { name: 'What if' }).click();
  await whatIf.getByText('Would be billed').waitFor();
  checks.holds('what the draft would have done is shown before it is saved', await dialog.isVisible());
  await dialog.getByLabel('First content').fill('2');
  await whatIf.getByText('Would be billed').waitFor({ state: 'detached' });
  await dialog.getByLabel('First content').fill('1.5');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  const diff = page.getByRole('region', { name: 'Version 2' });
  await diff.getByText('"strict": true').waitFor();
  checks.holds(
    'a change is a version, with its difference to the one before',
    await diff.getByText('1500').isVisible(),
  );
}

async function removeAndRestore(page: Page, gateway: DevGateway, checks: Checks): Promise<void> {
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('This policy is removed and holds for no request.').waitFor();
  await page.getByRole('button', { name: 'Save it again' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('Version 4').first().waitFor();
  const { items } = (await admin(gateway, 'GET', POLICY_PATH)) as { items: readonly { policy: object | null }[] };
  const [latest, removed, before] = items.map(({ policy }) => policy);
  checks.is('a removed policy is saved again as it was', [items.length, removed, latest], [4, null, before]);
}

async function budgetForEach(page: Page, gateway: DevGateway, checks: Checks): Promise<void> {
  await page.goto(`${gateway.adminUrl}/console${ACCOUNT_PATH}?tab=budgets`);
  await page.getByRole('button', { name: 'Set a budget for each' }).click();
  const dialog = page.getByRole('dialog', { name: 'Set a budget for each' });
  await dialog.getByLabel(/^US dollars/).fill('50');
  await dialog.getByLabel(/^Time zone/).fill('Europe/Nowhere');
  await dialog.getByLabel(/^Soft limits/).fill('95, 75');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.locator('label', { hasText: 'Time zone' }).getByRole('alert').waitFor();
  await dialog.getByLabel(/^Time zone/).fill('Europe/Berlin');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const panel = page.getByRole('region', { name: /^Each member of account/ });
  await panel.getByText('month (Europe/Berlin)').waitFor();
  await panel.getByText('75 %, 95 %').waitFor();
  checks.holds('a budget for each member is set; what is wrong with a field is said there', true);
  await panel.getByRole('button', { name: 'Spent by each' }).click();
  await panel.getByText('None has spent anything in the running period.').waitFor();
  await panel.getByRole('button', { name: 'Remove the budget for each' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await panel.waitFor({ state: 'detached' });
  checks.holds('a budget for each member is removed', true);
}

export async function policyLives({ page, troubles }: Watched, gateway: DevGateway, checks: Checks): Promise<void> {
  await create(page, gateway, checks);
  await change(page, checks);
  await removeAndRestore(page, gateway, checks);
  await budgetForEach(page, gateway, checks);
  // Browsers report the two refusals above as errors of the page.
  const refused = troubles.filter((text) => text.includes('status of 400'));
  checks.is('two changes were refused', refused.length, 2);
  troubles.splice(0, troubles.length, ...troubles.filter((text) => !refused.includes(text)));
}
