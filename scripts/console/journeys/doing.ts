/** What administrators do besides looking: hand a key over, save a view, add a model, follow a conversation, see what a change replaced. */
import OpenAI from 'openai';
import { openPage, type Watched, waitUntilDrawn } from '../browser.ts';
import type { Checks } from '../checks.ts';
import { admin, type DevGateway } from '../dev-gateway.ts';

const ACCOUNT = 'handed';
const MODEL = 'e2e/own';

/** The admin makes it, another person opens it, and a client calls with it. */
export async function handsKeyOver({ page }: Watched, gateway: DevGateway, checks: Checks): Promise<void> {
  await admin(gateway, 'POST', '/accounts', { id: ACCOUNT, name: ACCOUNT, kind: 'unlimited' });
  await page.goto(`${gateway.adminUrl}/console/keys?create=yes&account=${ACCOUNT}`);
  const dialog = page.getByRole('dialog', { name: 'Create a key' });
  await dialog.getByLabel(/^Name/).fill('laptop');
  await dialog.getByLabel(/^The secret/).selectOption('link');
  await dialog.getByText('The same in a terminal').click();
  await dialog.getByText(/trivium keys hand-over handed --name laptop/).waitFor();
  await dialog.getByRole('button', { name: 'Create' }).click();
  const made = page.getByRole('dialog', { name: 'Link for laptop' });
  const link = (await made.locator('code').first().textContent()) ?? '';
  checks.holds(
    'the secret is not shown to who made the key',
    !/sk-trivium-[A-Za-z0-9_-]{30}/.test(await page.content()),
  );
  await made.getByLabel('I have stored it').check();
  await made.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('link', { name: 'laptop', exact: true }).click();
  await page.getByText('not opened yet').waitFor();

  const guest = await page.context().browser()?.newContext({ locale: 'en-US' });
  if (guest === undefined) throw new Error('no browser');
  const { page: own, troubles } = await openPage(guest);
  await own.goto(link);
  await own.getByRole('button', { name: 'Show the key' }).click();
  const secret = (await own.locator('code').first().textContent()) ?? '';
  checks.holds('who opens the link sees the secret, and it is out of the address', !own.url().includes('code='));
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 });
  const { choices } = await openai.chat.completions.create({
    model: 'simulator/echo',
    messages: [{ role: 'user', content: 'Hello with a key that was handed over' }],
  });
  checks.holds('an SDK calls with it', choices[0]?.message.content !== '');
  checks.is('nothing is wrong with the page of the link', troubles, []);
  await own.goto('about:blank');
  await own.goto(link);
  await own.getByRole('button', { name: 'Show the key' }).click();
  await own.getByText('This link does not open').waitFor();
  checks.holds('a second time it does not open', !(await own.content()).includes(secret));
  await guest.close();
  await page.reload();
  await page.getByText('opened', { exact: true }).waitFor();
  checks.holds('who made it sees that it was opened', true);
}

export async function savesView({ page }: Watched, gateway: DevGateway, checks: Checks): Promise<void> {
  await page.goto(`${gateway.adminUrl}/console/requests?model=simulator%2F*&range=24h`);
  await page.getByRole('button', { name: 'Views' }).click();
  const views = page.getByRole('dialog', { name: 'Saved views' });
  await views.getByLabel(/^Name/).fill('Of the simulator');
  await page.keyboard.press('Enter');
  await views.getByRole('link', { name: 'Of the simulator' }).waitFor();
  await page.goto(`${gateway.adminUrl}/console/requests`);
  await page.getByRole('button', { name: 'Views' }).click();
  await views.getByRole('link', { name: 'Of the simulator' }).click();
  await page.waitForURL(/model=simulator/);
  await page.getByRole('button', { name: 'Views' }).click();
  await views.getByRole('button', { name: 'Remove the view Of the simulator' }).click();
  await views.getByText('None yet.').waitFor();
  checks.holds('a view is saved, applied and removed', page.url().includes('range=24h'));
  await page.keyboard.press('Escape');
}

export async function addsModel({ page }: Watched, gateway: DevGateway, checks: Checks): Promise<void> {
  await admin(gateway, 'POST', '/accounts', { id: ACCOUNT, name: ACCOUNT, kind: 'unlimited' });
  await admin(gateway, 'POST', `/accounts/${ACCOUNT}/keys`, { name: 'tries' });
  await page.goto(`${gateway.adminUrl}/console/models`);
  await page.getByRole('button', { name: 'Add a model' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a model' });
  await dialog.getByLabel(/^Id/).fill(MODEL);
  await dialog.getByLabel(/^Provider/).selectOption('simulator');
  await dialog.getByLabel(/^The provider's name/).fill('gpt-4o-mini');
  await dialog.getByLabel(/^Context/).fill('0');
  await dialog.getByRole('button', { name: 'Add' }).click();
  checks.holds('what is wrong is said before it is sent', await dialog.isVisible());
  await dialog.getByLabel(/^Context/).fill('64000');
  await dialog.getByLabel(/^\$\/M in/).fill('1.25');
  await dialog.getByLabel(/^\$\/M out/).fill('10');
  await dialog.getByRole('button', { name: 'Add' }).click();
  const test = page.getByRole('dialog', { name: `Test call of ${MODEL}` });
  await test.getByRole('button', { name: 'Send' }).click();
  await test.getByRole('status').waitFor();
  await test.getByRole('button', { name: 'Close' }).first().click();
  await page.getByText('$1.25').first().waitFor();
  checks.holds('a model is added with its price, and answers', true);
  await page.getByRole('button', { name: 'Remove' }).click();
  const remove = page.getByRole('dialog', { name: `Remove the model ${MODEL}` });
  await remove.getByLabel(/^Type/).fill(MODEL);
  await remove.getByRole('button', { name: 'Remove' }).click();
  await page.waitForURL(/\/models$/);
}

export async function followsConversation({ page }: Watched, gateway: DevGateway, checks: Checks): Promise<void> {
  const { url, key } = gateway;
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, defaultHeaders: { 'x-session-id': 'e2e-talk' } });
  const ids: string[] = [];
  for (const content of ['First', 'Second', 'Third']) {
    const asked = openai.chat.completions.create({ model: 'simulator/echo', messages: [{ role: 'user', content }] });
    const { response } = await asked.withResponse();
    ids.push(response.headers.get('x-request-id') ?? '');
  }
  const last = page.getByRole('row').filter({ hasText: /^3/ });
  for (let tries = 0; tries < 20 && (await last.count()) === 0; tries++) {
    await page.goto(`${gateway.adminUrl}/console/requests/${ids[0]}?tab=conversation`);
    await waitUntilDrawn(page);
  }
  await page.getByText('3 calls').waitFor();
  await last.getByRole('link').click();
  await page.waitForURL(new RegExp(ids[2] ?? ''));
  await page.getByRole('tab', { name: 'Conversation' }).click();
  await page.getByRole('link', { name: 'In the list of requests' }).click();
  await page.waitForURL(/conversation=/);
  await page.locator('[role=rowgroup] [role=row]').nth(2).waitFor();
  const rows = await page.locator('[role=rowgroup] [role=row]').count();
  checks.is('the calls of a conversation are in a row, and in the list', rows, 3);
}

export async function seesBeforeAndAfter({ page }: Watched, gateway: DevGateway, checks: Checks): Promise<void> {
  await admin(gateway, 'POST', '/accounts', { id: ACCOUNT, name: ACCOUNT, kind: 'unlimited' });
  for (const usd of ['5', '8'])
    await admin(gateway, 'POST', `/accounts/${ACCOUNT}/budgets`, { scope: 'account', span: 'month', usd });
  await page.goto(`${gateway.adminUrl}/console/audit?account=${ACCOUNT}`);
  await page.getByText('usd: 5 → 8').click();
  const entry = page.getByRole('dialog', { name: 'budget.set' });
  await entry.getByText('Before', { exact: true }).waitFor();
  const sides = await entry.locator('tr[data-same=false] td').allTextContents();
  checks.is(
    'both sides of a change are shown',
    sides.map((text) => text.trim()),
    ['"usd": "5",', '"usd": "8",'],
  );
  await page.keyboard.press('Escape');
}
