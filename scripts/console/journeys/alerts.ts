/** A rule of alerts, set with its preview and reset: as the API has it. */
import type { Watched } from '../browser.ts';
import type { Checks } from '../checks.ts';
import { admin, type DevGateway } from '../dev-gateway.ts';

type Rules = { readonly items: readonly { readonly kind: string; readonly values: object; readonly source: string }[] };

export async function setsAlertRule({ page }: Watched, gateway: DevGateway, checks: Checks): Promise<void> {
  const rule = async () => {
    const { items } = (await admin(gateway, 'GET', '/alerts/rules')) as unknown as Rules;
    return items.find(({ kind }) => kind === 'errors.high');
  };
  await page.goto(`${gateway.adminUrl}/console/alerts?tab=rules`);
  const card = page.getByRole('listitem').filter({ hasText: 'Many errors' });
  await card.getByText('off', { exact: true }).waitFor();
  await card.getByRole('button', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Rule: Many errors' });
  await dialog.getByLabel(/^Failed requests/).fill('25');
  await dialog.getByText('Would not have fired in the last 7 days.').waitFor();
  checks.holds('a rule says how often it would have been raised', true);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await card.getByText('More than 25 %').waitFor();
  checks.is('a rule set in the console is that of the API', (await rule())?.values, {
    errorPercent: 25,
    minRequests: 20,
  });
  await card.getByRole('button', { name: 'Reset' }).click();
  await card.getByText('off', { exact: true }).waitFor();
  checks.is('and reset it is as configured', (await rule())?.source, 'configuration');
}
