/** What operators come to do, begun at the overview, with their clicks counted: four at most each. Typing is not a click. */
import type { Locator, Page } from 'playwright-core';
import type { Watched } from '../browser.ts';
import type { Checks } from '../checks.ts';
import type { DevGateway } from '../dev-gateway.ts';

const MAX_CLICKS = 4;

type Click = (what: Locator) => Promise<void>;
type Job = readonly [name: string, steps: (page: Page, click: Click) => Promise<void>];

const rail = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Pages' }).first().getByRole('link', { name, exact: true });
const rows = (page: Page): Locator => page.locator('[role=rowgroup] [role=row]');

const JOBS: readonly Job[] = [
  [
    'sees why a request failed',
    async (page, click) => {
      await click(page.getByRole('main').getByRole('link', { name: /^Errors/ }));
      await click(rows(page).filter({ hasText: '401 unauthenticated' }).first().getByText('401'));
      await page.getByRole('complementary').getByText('401 unauthenticated').first().waitFor();
    },
  ],
  [
    'sees which account spends most',
    async (page, click) => {
      await click(rail(page, 'Accounts'));
      await rows(page).first().getByText(/\$\d/).first().waitFor();
    },
  ],
  [
    'makes a key with a budget',
    async (page, click) => {
      await click(rail(page, 'Keys'));
      await click(page.getByRole('button', { name: 'Create', exact: true }).first());
      const dialog = page.getByRole('dialog', { name: 'Create a key' });
      await dialog.getByLabel(/^Name/).fill('counted');
      await dialog.getByLabel(/^Budget in US dollars/).fill('5');
      await dialog.getByText('At most $5.00 a month.').waitFor();
      await page.keyboard.press('Escape');
    },
  ],
  [
    'adds the credential of a new provider',
    async (page, click) => {
      await click(rail(page, 'Providers'));
      await click(page.getByRole('button', { name: 'Add a provider' }));
      const row = page.getByRole('row').filter({ hasText: 'Mistral AI' });
      await click(row.getByRole('button', { name: 'Add credential' }));
      await page.getByRole('dialog').getByRole('button', { name: 'Test before saving' }).waitFor();
      await page.keyboard.press('Escape');
    },
  ],
  [
    'sees what is out of service',
    async (page, click) => {
      await click(rail(page, 'Alerts'));
      await page.getByRole('region', { name: 'Alerts' }).first().waitFor();
    },
  ],
  [
    'compares two models',
    async (page, click) => {
      await click(rail(page, 'Playground'));
      await click(page.getByRole('button', { name: 'Compare' }));
      await page.getByPlaceholder('Model', { exact: true }).fill('echo');
      await page.getByRole('listbox').getByRole('option').first().waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('listbox').waitFor({ state: 'detached' });
    },
  ],
  [
    'sets a rule for alerts',
    async (page, click) => {
      await click(rail(page, 'Alerts'));
      await click(page.getByRole('tab', { name: 'Rules' }));
      await click(page.getByRole('listitem').filter({ hasText: 'Slow first token' }).getByRole('button'));
      await page.getByRole('dialog').getByText('Would not have fired in the last 7 days.').waitFor();
      await page.keyboard.press('Escape');
    },
  ],
  [
    'has usage as CSV',
    async (page, click) => {
      await click(rail(page, 'Usage'));
      const saved = page.waitForEvent('download');
      await click(page.getByRole('link', { name: 'CSV' }));
      const name = (await saved).suggestedFilename();
      if (!/^usage-model-\d{4}-\d\d-\d\d_\d{4}-\d\d-\d\d\.csv$/.test(name)) throw new Error(`the file is ${name}`);
    },
  ],
  [
    'finds a video that was made',
    async (page, click) => {
      await click(rail(page, 'Operations'));
      await page.getByText('simulator/video').first().waitFor();
    },
  ],
];

export async function doesJobs({ page }: Watched, gateway: DevGateway, checks: Checks): Promise<void> {
  for (const [name, steps] of JOBS) {
    await page.goto(`${gateway.adminUrl}/console/overview`);
    await page.getByRole('region', { name: 'Needs attention' }).waitFor();
    let clicks = 0;
    await steps(page, async (what) => {
      clicks++;
      await what.click();
    });
    checks.holds(`who ${name} needs ${clicks} clicks`, clicks <= MAX_CLICKS);
  }
}
