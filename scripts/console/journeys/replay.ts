/** A translated request of the list: what was changed on its way, and the same again on another model. */
import type { Locator, Page } from 'playwright-core';
import { holdAnswer, type Watched } from '../browser.ts';
import type { Checks } from '../checks.ts';
import type { DevGateway } from '../dev-gateway.ts';

const OTHER_MODEL = 'simulator/gemini';

async function makeKey({ adminUrl, operatorSecret }: DevGateway): Promise<void> {
  await fetch(`${adminUrl}/admin/v1/accounts/default/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operatorSecret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'replays' }),
  });
}

const PLAN = 'Show where it would go';
const planOf = (dialog: Locator): Locator => dialog.getByRole('list', { name: 'Where it would go' });
const isDryRun = (body: string | null): boolean => body?.includes('"dryRun":true') === true;

/** A plan is of what the form says; a late one replaces neither a newer plan nor the answer of a replay. */
async function keepsTheLatest(page: Page, dialog: Locator, checks: Checks): Promise<void> {
  const model = dialog.getByLabel(/^Model/);
  const path = /\/replay$/;
  await model.fill('simulator/echo');
  const old = await holdAnswer(page, path, isDryRun);
  await dialog.getByRole('button', { name: PLAN }).click();
  await old.isAsked;
  await model.fill(OTHER_MODEL);
  await dialog.getByRole('button', { name: PLAN }).click();
  await planOf(dialog).getByText('simulator-gemini').waitFor();
  await old.release();
  checks.is('a late plan does not replace a newer one', await planOf(dialog).getByText('simulator/echo').count(), 0);
  await model.fill('simulator/echo');
  checks.is('a plan goes when the form says something else', await planOf(dialog).count(), 0);
  await model.fill(OTHER_MODEL);

  const late = await holdAnswer(page, path, isDryRun);
  await dialog.getByLabel(/strict/).check();
  await dialog.getByRole('button', { name: PLAN }).click();
  await late.isAsked;
  await dialog.getByLabel(/strict/).uncheck();
  await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
  await dialog.getByText('Before', { exact: true }).first().waitFor();
  await late.release();
  checks.is('nor the answer of a replay', await dialog.getByText('Before', { exact: true }).count(), 2);
}

const PANE = { startLine: 'POST /', headers: [], body: '{}', bytes: 2, truncated: false, frames: [] };
const PANES = { callerRequest: PANE, hostRequest: PANE, hostResponse: PANE, callerResponse: PANE };
const TRIES = ['one', 'two'].map((provider) => ({ provider, model: 'm', lane: 'verbatim' }));

/** A chosen try belongs to one request: every other starts with its last. */
async function forgetsTheTry(page: Page, gateway: DevGateway, id: string, checks: Checks): Promise<void> {
  const path = /\/wire(?:\?|$)/;
  await page.route(path, (route) => {
    const attempt = Number(new URL(route.request().url()).searchParams.get('attempt') ?? TRIES.length);
    const json = { captured: true, why: null, expiresAt: null, attempt, attempts: TRIES, panes: PANES, marks: [] };
    return route.fulfill({ json });
  });
  const pressed = page.locator('main button[aria-pressed=true]').filter({ hasText: /^try/ });
  const go = async (key: string, isThere: boolean): Promise<void> => {
    await page.keyboard.press(key);
    await page.waitForURL((url) => url.pathname.endsWith(id) === isThere);
    await pressed.waitFor();
  };
  await page.goto(`${gateway.adminUrl}/console/requests/${id}?tab=wire`);
  await pressed.waitFor();
  // Both requests are in the cache from here on, so that the tab stays while one goes from one to the other.
  await go(']', false);
  await go('[', true);
  await page.getByRole('button', { name: 'try 1 one' }).click();
  await pressed.filter({ hasText: 'try 1' }).waitFor();
  await go(']', false);
  checks.is('another request starts with its last try', await pressed.textContent(), 'try 2 two');
  await page.unroute(path);
}

export async function replaysIt({ page }: Watched, gateway: DevGateway, id: string, checks: Checks): Promise<void> {
  await makeKey(gateway);
  await forgetsTheTry(page, gateway, id, checks);
  await page.goto(`${gateway.adminUrl}/console/requests/${id}?tab=wire`);
  await page.getByRole('button', { name: 'Diff' }).click();
  await page.waitForURL(/view=diff/);
  const diff = page.getByRole('region', { name: /^Diff/ });
  const lost = diff.getByRole('row').filter({ hasText: 'top_k' });
  await lost.getByText('lost').waitFor();
  checks.holds('the diff marks the lost parameter', (await lost.locator('[data-side=before]').count()) === 1);
  checks.holds('and folds nothing away that differs', (await diff.locator('[data-side=after]').count()) > 2);

  await page.getByRole('button', { name: 'Replay' }).click();
  const dialog = page.getByRole('dialog', { name: 'Replay' });
  await dialog.getByLabel(/^Model/).fill(OTHER_MODEL);
  await dialog.getByRole('button', { name: PLAN }).click();
  await planOf(dialog).getByText('simulator-gemini').waitFor();
  checks.holds('a dry run says where a replay would go', true);
  await keepsTheLatest(page, dialog, checks);
  const figure = (name: string) => dialog.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) });
  await figure('Model').getByText(OTHER_MODEL).waitFor();
  await figure('Cost')
    .getByText(/^\$0\.0/)
    .nth(1)
    .waitFor();
  checks.holds('replayed on another model: both costs side by side', true);
  const answers = dialog.getByRole('region', { name: 'Before and now' });
  checks.holds('and both answers', (await answers.locator('td', { hasText: 'Hello over messages' }).count()) === 2);
  await dialog.getByRole('button', { name: 'Sent to the provider' }).click();
  await answers.getByText('generationConfig').waitFor();
  checks.holds('and what each provider got', (await answers.getByText('"max_tokens"').count()) > 0);
  await dialog.getByRole('link', { name: 'Open request' }).click();
  await page.waitForURL((url) => url.pathname.includes('/requests/') && !url.pathname.includes(id));
  await page.getByRole('link', { name: OTHER_MODEL }).first().waitFor();
  checks.holds('the replay is a request like any other', true);
}
