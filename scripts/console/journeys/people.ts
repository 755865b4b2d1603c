/** What an operator does for people without keys: settings for their agents, and what a person gets and why. */
import type { Watched } from '../browser.ts';
import type { Checks } from '../checks.ts';
import { admin, type DevGateway } from '../dev-gateway.ts';

const NAME = 'e2e-agents';
const ACCOUNT = 'people';
const PERSON = 'ida@example.com';

export async function managesPeople(watched: Watched, gateway: DevGateway, checks: Checks): Promise<void> {
  const { page, troubles } = watched;
  await admin(gateway, 'POST', '/accounts', { id: ACCOUNT, name: ACCOUNT, kind: 'unlimited' });
  await admin(gateway, 'POST', `/accounts/${ACCOUNT}/members`, { name: 'Ida', email: PERSON, role: 'developer' });
  await page.goto(`${gateway.adminUrl}/console/settings?tab=managed`);
  await page.getByRole('button', { name: 'Create' }).click();
  const create = page.getByRole('dialog', { name: 'Create managed settings' });
  await create.getByLabel(/^Name/).fill(NAME);
  await create.getByLabel(/^Accounts/).fill(ACCOUNT);
  const box = create.getByLabel(/^Settings/);
  await box.fill('{ "model": ');
  checks.holds('text that is no JSON cannot be saved', await create.getByRole('button', { name: 'Save' }).isDisabled());
  await box.fill('{\n  "model": "claude-sonnet-5",\n  "permissions": {\n    "alow": []\n  }\n}');
  const before = troubles.length;
  await create.getByRole('button', { name: 'Save' }).click();
  await create.getByText('Line 4 · permissions.alow: is no known setting').waitFor();
  // The browser reports the refusal.
  troubles.splice(before);
  checks.is(
    'what the API finds wrong is chosen in the text',
    await box.evaluate((element) => {
      const { value, selectionStart, selectionEnd } = element as unknown as Record<string, never>;
      return String(value).slice(selectionStart, selectionEnd);
    }),
    '"alow": []',
  );
  await box.fill('{ "model": "claude-sonnet-5" }');
  await create.getByRole('button', { name: 'Save' }).click();
  const shown = page.getByRole('dialog', { name: NAME });
  await shown.getByText('"model": "claude-sonnet-5"').first().waitFor();
  await shown.getByRole('button', { name: 'Change', exact: true }).click();
  const change = page.getByRole('dialog', { name: `Change ${NAME}` });
  await change.getByLabel(/^Settings/).fill('{ "model": "claude-haiku-5" }');
  await change.getByRole('button', { name: 'Save' }).click();
  await shown.getByRole('region', { name: 'Version 2' }).getByText('claude-haiku-5').waitFor();
  checks.holds('a change is a version, beside the one before', true);

  await page.goto(`${gateway.adminUrl}/console/accounts/${ACCOUNT}?tab=members`);
  await page.getByRole('link', { name: 'Ida' }).click();
  const person = page.getByRole('dialog', { name: 'Ida' });
  await person.getByText('No program is signed in.').waitFor();
  const row = person.getByRole('row').filter({ hasText: 'Managed settings' });
  await row.getByText('match.accounts, priority 100').waitFor();
  checks.holds('a member has apps, and gets the settings by a rule that is named', true);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Preview a person' }).click();
  const preview = page.getByRole('dialog', { name: 'Preview a person' });
  await preview.getByLabel(/^E-mail/).fill('nobody@example.com');
  await page.keyboard.press('Enter');
  await preview.getByRole('alert').filter({ hasText: 'nobody@example.com' }).waitFor();
  await preview.getByLabel(/^Groups/).fill('strangers');
  await page.keyboard.press('Enter');
  await preview.getByText('This person may not sign in.').waitFor();
  checks.holds('a person whom no rule lets in may not sign in', true);
  await page.keyboard.press('Escape');

  await page.goto(`${gateway.adminUrl}/console/settings?tab=managed&managed=${NAME}`);
  await shown.getByRole('button', { name: 'Remove' }).click();
  const remove = page.getByRole('dialog', { name: `Remove ${NAME}` });
  await remove.getByRole('button', { name: 'Remove' }).click();
  await shown.getByText('removed').first().waitFor();
  const { items } = (await admin(gateway, 'GET', `/managed-settings/${NAME}`)) as { items: { entry: object | null }[] };
  checks.is('removed settings keep their versions', [items.length, items[0]?.entry], [3, null]);
  await page.keyboard.press('Escape');
}
