/** The overview: what was spent, by which keys, in one call of the API; a figure leads to the requests behind it. */
import type { Watched } from '../browser.ts';
import type { Checks } from '../checks.ts';
import type { DevGateway } from '../dev-gateway.ts';

export async function readsOverview({ page, calls }: Watched, gateway: DevGateway, checks: Checks): Promise<void> {
  calls.length = 0;
  await page.goto(`${gateway.adminUrl}/console/overview`);
  await page.getByRole('region', { name: 'Needs attention' }).waitFor();
  checks.is(
    'the overview is one call of the API',
    calls.filter((call) => call !== '/admin/v1/me'),
    ['/admin/v1/overview'],
  );
  await page.getByRole('region', { name: 'Top keys' }).getByRole('link', { name: 'playground' }).click();
  await page.waitForURL(/\/requests\?.*key=key_/);
  checks.holds('a key that spends leads to its requests', true);
}
