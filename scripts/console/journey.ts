/** What a person does with the console on the first day, step by step. */
import type { BrowserContext, Page } from 'playwright-core';
import { formatUsd } from '../../packages/console/src/format/money.ts';
import { openPage, type Watched } from './browser.ts';
import type { Checks } from './checks.ts';
import type { DevGateway } from './dev-gateway.ts';
import { HOSTILE, hostileDetail, hostileRow } from './hostile.ts';
import { callEveryProtocol, callWithWrongKey } from './sdk-calls.ts';

type Row = {
  readonly id: string;
  readonly protocol: string;
  readonly costUsd: string | null;
  readonly lane: string | null;
};

const rowsOf = async ({ adminUrl, operatorSecret }: DevGateway): Promise<readonly Row[]> => {
  const answer = await fetch(`${adminUrl}/admin/v1/requests`, {
    headers: { authorization: `Bearer ${operatorSecret}` },
  });
  return ((await answer.json()) as { items: readonly Row[] }).items;
};

const DAY_MS = 86_400_000;

/** Where its absence is noticed: on the request without content. */
export async function switchesCaptureOn(
  { page }: Watched,
  { url, key, adminUrl, operatorSecret }: DevGateway,
  checks: Checks,
): Promise<void> {
  const answer = await fetch(`${url}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'simulator/echo', messages: [{ role: 'user', content: 'before capture' }] }),
  });
  const id = answer.headers.get('x-request-id') ?? '';
  await page.getByText('simulator/echo').first().waitFor();
  await page.goto(`${adminUrl}/console/requests/${id}?tab=wire`);
  await page.getByRole('button', { name: 'Capture content' }).click();
  const dialog = page.getByRole('dialog', { name: 'Capture content of default' });
  await dialog.getByLabel(/^Captured/).selectOption('all');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  const records = await fetch(`${adminUrl}/admin/v1/accounts/default/records`, {
    headers: { authorization: `Bearer ${operatorSecret}` },
  });
  const { bodies, active } = (await records.json()) as Record<string, unknown>;
  checks.is('content is captured once it is missed', [bodies, active], ['all', true]);
  await page.goto(`${adminUrl}/console/accounts/default?tab=content`);
  await page.getByText('captured', { exact: true }).waitFor();
  checks.holds('and the account says so', true);
  await page.goto(`${adminUrl}/console/requests`);
}

/** Off by default: whose content is captured is a choice. */
export async function capturesContent({ adminUrl, operatorSecret }: DevGateway, checks: Checks): Promise<void> {
  const answer = await fetch(`${adminUrl}/admin/v1/accounts/default/records`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${operatorSecret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ bodies: 'all', keepHours: 1, until: new Date(Date.now() + DAY_MS).toISOString() }),
  });
  checks.is('content is captured', answer.status, 200);
}

const ROWS = '[role=rowgroup] [role=row]';

const texts = (page: Page, selector: string): Promise<readonly string[]> =>
  page.locator(selector).evaluateAll((elements) => elements.map((element) => element.textContent ?? ''));

export async function signInByLink(context: BrowserContext, gateway: DevGateway, checks: Checks): Promise<Watched> {
  const watched = await openPage(context);
  const { page } = watched;
  await page.goto(gateway.consoleUrl);
  await page.waitForURL(/\/console\/requests/);
  await page.getByRole('heading', { name: 'Requests' }).waitFor();
  checks.holds('the link that `trivium dev` prints signs in', true);
  checks.holds('the code is not in the address bar', !page.url().includes('code'));
  const [cookie] = await context.cookies();
  checks.is('scripts cannot read the session', [cookie?.httpOnly, cookie?.sameSite], [true, 'Strict']);
  checks.is('no secret is stored in the browser', await page.evaluate('JSON.stringify(sessionStorage)'), '{}');
  return watched;
}

export async function codeWorksOnce(context: BrowserContext, gateway: DevGateway, checks: Checks): Promise<void> {
  const { page } = await openPage(context);
  await page.goto(gateway.consoleUrl);
  await page.getByRole('alert').waitFor();
  checks.holds('the link works once', page.url().includes('/sign-in'));
  await page.getByLabel(/Operator secret/).fill(gateway.operatorSecret);
  // An address waits one second after a wrong try.
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/console\/requests/, { timeout: 5000 }).catch(async () => {
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/\/console\/requests/);
  });
  checks.holds('the operator secret signs in', true);
}

/** Rows come by the stream: the page is not loaded again. */
export async function seesRequests(
  { page, calls }: Watched,
  gateway: DevGateway,
  checks: Checks,
): Promise<readonly Row[]> {
  await page.getByRole('button', { name: 'Live' }).waitFor();
  calls.length = 0;
  await callEveryProtocol(gateway);
  checks.is('a wrong key is refused', await callWithWrongKey(gateway), 401);
  await page.getByText('401 unauthenticated').first().waitFor();
  await page.locator(ROWS).nth(4).waitFor();
  checks.holds('requests over every protocol appear while one looks', true);
  checks.is('and nothing is asked again for them', calls, []);
  const rows = await rowsOf(gateway);
  const shown = await texts(page, ROWS);
  for (const protocol of ['chat', 'messages', 'genai']) {
    const row = rows.find((each) => each.protocol === protocol && each.costUsd !== null);
    const cost = formatUsd(row?.costUsd ?? '') ?? 'no cost';
    checks.holds(
      `the list shows what ${protocol} cost (${cost})`,
      shown.some((text) => text.includes(cost)),
    );
  }
  await page.keyboard.press('.');
  await page.waitForURL(/live=off/);
  checks.is('paused, the list keeps what came live', await texts(page, ROWS), shown);
  await page.keyboard.press('.');
  await page.waitForURL((url) => !url.search.includes('live'));
  return rows;
}

export async function filtersAndPeeks({ page }: Watched, checks: Checks): Promise<void> {
  await page.keyboard.press('/');
  await page.keyboard.type('protocol:messages');
  await page.keyboard.press('Enter');
  await page.waitForURL(/protocol=messages/);
  await page.locator(ROWS).nth(1).waitFor({ state: 'detached' });
  await page.locator(ROWS).first().waitFor();
  checks.holds("a filter is in the address bar and is the server's", true);
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('complementary').getByText('translated').first().waitFor();
  checks.holds('j and Enter open a look at the request beside the list', page.url().includes('peek='));
  await page.keyboard.press('Shift+Enter');
  await page.waitForURL(/\/requests\/[0-9A-Z]{26}/);
}

export async function readsRequest({ page }: Watched, rows: readonly Row[], checks: Checks): Promise<void> {
  const row = rows.find(({ protocol }) => protocol === 'messages');
  await page.getByText('answered').waitFor();
  checks.holds('its path says translated', (await page.getByText('translated').count()) > 0);
  checks.holds('its loss is named', (await page.getByText('top_k').count()) > 0);
  checks.holds('its waterfall has the try', (await page.locator('svg[aria-label^="try 1"]').count()) === 1);
  await page.keyboard.press('3');
  await page.waitForURL(/tab=bill/);
  const charged = formatUsd(row?.costUsd ?? '') ?? '';
  checks.holds(`its bill is what was charged (${charged})`, (await page.locator('dd b').textContent()) === charged);
  await page.getByRole('row').filter({ hasText: 'Input tokens' }).first().waitFor();
  checks.holds('its lines are named in words', (await page.getByText('prompt', { exact: true }).count()) === 0);
  await page.keyboard.press(']');
  await page.waitForURL((url) => !url.pathname.endsWith(row?.id ?? ''));
  await page.getByRole('tab', { name: 'Bill' }).waitFor();
  await page.keyboard.press('[');
  await page.waitForURL((url) => url.pathname.endsWith(row?.id ?? ''));
  checks.holds('] and [ go to the older request and back', page.url().includes('tab=bill'));
  await page.keyboard.press('4');
  await page.getByText(`"id": "${row?.id}"`).waitFor();
  checks.holds('its record is shown as the API gives it', true);
  await page.keyboard.press('2');
  await page.getByRole('region', { name: '2 gateway › provider' }).getByText('/chat/completions').waitFor();
  const sent = page.getByRole('region', { name: '1 caller › gateway' });
  checks.holds('its wire shows what the caller sent', (await sent.getByText('Hello over messages').count()) > 0);
  checks.holds('the lost parameter is marked', (await page.locator('mark[data-kind=L]').count()) > 0);
  await sent.getByText(/headers/).click();
  const shown = (await sent.textContent()) ?? '';
  checks.holds('and the key is not in it', shown.includes('redacted') && !shown.includes('sk-trivium'));
}

export async function usesTheShell({ page }: Watched, checks: Checks): Promise<void> {
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder(/Page, action, request id/).fill('key');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/console\/keys/);
  // Shortcuts are silent while the palette is open.
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
  checks.holds('help, and the palette that leads to pages', true);
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await page.waitForURL(/\/console\/requests/);
  await page.getByRole('button', { name: /Signed in as/ }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Deutsch' }).click();
  await page.getByRole('heading', { name: 'Anfragen' }).waitFor();
  checks.is('the page is in German', await page.evaluate('document.documentElement.lang'), 'de');
  await page.getByRole('button', { name: /Angemeldet als/ }).click();
  await page.getByText(/· Betreiber$/).waitFor();
  checks.holds('and so is the role', true);
  await page.getByRole('menuitemcheckbox', { name: 'English' }).click();
  await page.getByRole('heading', { name: 'Requests' }).waitFor();
}

export async function staysText(context: BrowserContext, gateway: DevGateway, checks: Checks): Promise<void> {
  const { page, troubles } = await openPage(context);
  const items = HOSTILE.map(hostileRow);
  await page.route(/\/admin\/v1\/requests\?/, (route) => route.fulfill({ json: { items, next: null } }));
  await page.route(/\/admin\/v1\/requests\/hostile/, (route) => {
    const index = Number(/hostile-(\d+)/.exec(route.request().url())?.[1] ?? 0);
    return route.fulfill({ json: hostileDetail(HOSTILE[index] ?? '') });
  });
  const columns = 'time,outcome,model,provider,path,cost,key,account,asked,protocol,operation,member';
  await page.goto(`${gateway.adminUrl}/console/requests?live=off&columns=${columns}`);
  await page.getByText('__hacked').first().waitFor();
  const scrollTo = (top: number) =>
    page.locator('[role=region]').evaluate((element, to) => element.scrollTo(0, to), top);
  for (let top = 0; top < items.length * 32; top += 480) {
    await scrollTo(top);
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
  }
  for (const index of [0, 41, 82, 123, 164, 199]) {
    await page.goto(`${gateway.adminUrl}/console/requests/hostile-${index}`);
    await page.getByRole('tab', { name: 'Raw' }).waitFor();
    await page.keyboard.press('3');
    await page.keyboard.press('4');
  }
  checks.is(`${HOSTILE.length} hostile texts stay text`, await page.evaluate('typeof window.__hacked'), 'undefined');
  checks.is('and make no element', await page.locator('main iframe, main script, main img, main style').count(), 0);
  checks.is('and no trouble', troubles, []);
}

export async function signsOut({ page }: Watched, gateway: DevGateway, checks: Checks): Promise<void> {
  await page.goto(`${gateway.adminUrl}/console/requests`);
  await page.getByRole('button', { name: /Signed in as/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL(/\/sign-in/);
  await page.goto(`${gateway.adminUrl}/console/usage?range=7d`);
  await page.waitForURL(/\/sign-in\?to=/);
  checks.holds(
    'after signing out every page asks for a sign-in, and remembers where one was going',
    page.url().includes('usage'),
  );
}
