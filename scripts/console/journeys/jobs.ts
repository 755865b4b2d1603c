/** What operators come to do, begun at the overview, with their clicks counted: four at most each. Typing is not a click. */
import type { Locator, Page } from 'playwright-core';
import type { Watched } from '../browser.ts';
import type { Checks } from '../checks.ts';
import { admin, type DevGateway } from '../dev-gateway.ts';

const MAX_CLICKS = 4;
const KEY = 'to-be-rotated';
const ACCOUNT = 'counted-jobs';
const TRIES = 40;
const PAUSE_MS = 250;

type Click = (what: Locator) => Promise<void>;
type Job = readonly [name: string, steps: (page: Page, click: Click, stage: Stage) => Promise<void>];
type Stage = {
  /** A request over another protocol than its provider's, whose content was captured. */
  readonly requestId: string;
};

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
    'rotates a key',
    async (page, click) => {
      await click(rail(page, 'Keys'));
      await click(page.getByRole('link', { name: KEY, exact: true }));
      await click(page.getByRole('button', { name: 'Rotate' }));
      await click(page.getByRole('dialog').getByRole('button', { name: 'Make a new secret' }));
      const dialog = page.getByRole('dialog', { name: `Secret of ${KEY}` });
      await dialog
        .getByText(/^sk-trivium-/)
        .first()
        .waitFor();
      await dialog.getByLabel('I have stored it').check();
      await dialog.getByRole('button', { name: 'Close' }).click();
    },
  ],
  [
    'invites a person',
    async (page, click) => {
      await click(rail(page, 'Accounts'));
      await click(page.getByRole('link', { name: ACCOUNT, exact: true }).first());
      await click(page.getByRole('tab', { name: 'Members' }));
      await click(page.getByRole('button', { name: 'Add a member' }));
      await page.getByRole('dialog').getByLabel(/^Name/).fill('Invited');
      await page.keyboard.press('Enter');
      const link = await page.getByRole('dialog', { name: 'Sign-in link' }).locator('code').first().textContent();
      const guest = await page.context().browser()?.newContext();
      const own = await guest?.newPage();
      await own?.goto(link ?? '');
      // Signed in, without a click of theirs.
      await own?.getByRole('heading', { name: 'Requests' }).waitFor();
      await guest?.close();
      await page.getByLabel('I have stored it').check();
      await page.getByRole('button', { name: 'Close' }).last().click();
    },
  ],
  [
    'sees the four stages of one request',
    async (page, click, { requestId }) => {
      await click(rail(page, 'Requests'));
      await page.keyboard.press('/');
      await page.keyboard.type(requestId);
      await page.keyboard.press('Enter');
      await click(rows(page).first().getByRole('link').first());
      await click(page.getByRole('tab', { name: 'Wire' }));
      for (const stage of ['caller › gateway', 'gateway › provider', 'provider › gateway', 'gateway › caller'])
        await page.getByText(stage).first().waitFor();
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

async function prepared(gateway: DevGateway): Promise<Stage> {
  await admin(gateway, 'POST', '/accounts', { id: ACCOUNT, name: ACCOUNT, kind: 'unlimited' });
  await admin(gateway, 'POST', `/accounts/${ACCOUNT}/keys`, { name: KEY });
  const { key, url } = gateway;
  const answer = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'simulator/echo',
      max_tokens: 64,
      messages: [{ role: 'user', content: 'Four stages' }],
    }),
  });
  const requestId = answer.headers.get('x-request-id') ?? '';
  for (let tries = 0; tries < TRIES; tries++) {
    const wire = await admin(gateway, 'GET', `/requests/${requestId}/wire`);
    if (wire['captured'] === true) return { requestId };
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(`the content of ${requestId} is not captured`);
}

export async function doesJobs({ page }: Watched, gateway: DevGateway, checks: Checks): Promise<void> {
  const stage = await prepared(gateway);
  for (const [name, steps] of JOBS) {
    await page.goto(`${gateway.adminUrl}/console/overview`);
    await page.getByRole('region', { name: 'Needs attention' }).waitFor();
    let clicks = 0;
    await steps(
      page,
      async (what) => {
        clicks++;
        await what.click();
      },
      stage,
    );
    checks.holds(`who ${name} needs ${clicks} clicks`, clicks <= MAX_CLICKS);
  }
}
