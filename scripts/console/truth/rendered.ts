/** The same figures as chromium shows them: overview, usage, requests and a paying account, in two roles. */
import type { Client } from 'pg';
import type { Browser } from 'playwright-core';
import { formatUsd } from '../../../packages/console/src/format/money.ts';
import { formatCount, formatShare, formatTokens } from '../../../packages/console/src/format/numbers.ts';
import { type AdminStand, OPERATOR_SECRET } from '../../../tests/support/admin-stand.ts';
import { openPage, signInWithSecret, waitUntilDrawn } from '../browser.ts';
import { type Is, PAID, usdOf } from './money.ts';
import { type Asked, figuresBy } from './truths.ts';
import type { Role } from './views.ts';

export async function checkRendered(
  stand: AdminStand,
  client: Client,
  browser: Browser,
  range: string,
  asked: Asked,
  { name, secret = OPERATOR_SECRET, account }: Role,
  is: Is,
): Promise<void> {
  const { adminUrl } = stand.gateway;
  const context = await browser.newContext({
    locale: 'en-US',
    timezoneId: 'UTC',
    viewport: { width: 1440, height: 900 },
  });
  const { page } = await openPage(context);
  const show = async (path: string): Promise<void> => {
    await page.goto(`${adminUrl}/console${path}`);
    await waitUntilDrawn(page);
  };
  await signInWithSecret(page, adminUrl, secret);
  const [truth] = [...(await figuresBy(client, { ...asked, account }, [])).values()];
  const { recorded, errors, nano } = truth!;

  await show(`/overview?range=${range}`);
  const tile = (title: string): Promise<string> => page.locator('main a', { hasText: title }).first().innerText();
  for (const [title, value] of [
    ['Spend', formatUsd(usdOf(nano))],
    ['Requests', formatCount(recorded)],
    ['Errors', formatShare(errors / recorded)],
  ] as const)
    is(`drawn: overview, ${name}: ${title}`, (await tile(title)).split('\n')[1], value);

  await show(`/requests?range=${range}&live=off`);
  is(`drawn: requests, ${name}`, await page.getByText(`${formatCount(recorded)} requests`, { exact: true }).count(), 1);

  await show(`/usage?range=${range}&by=model`);
  const models = await figuresBy(client, { ...asked, account }, ['model']);
  const rows = page.getByRole('table').last().getByRole('row');
  const drawn = new Map<string, readonly string[]>();
  for (const row of await rows.all()) {
    const [first = '', ...cells] = await row.getByRole('cell').allInnerTexts();
    drawn.set(first, cells);
  }
  for (const [model, figures] of models) {
    const cells = drawn.get(model === '' ? 'none' : model) ?? [];
    is(`drawn: usage of ${model}, ${name}: requests`, cells[0], formatTokens(figures.recorded));
    is(`drawn: usage of ${model}, ${name}: spend`, cells.includes(formatUsd(usdOf(figures.nano)) ?? ''), true);
  }
  is(`drawn: usage, ${name}: total`, drawn.get('Total')?.includes(formatUsd(usdOf(nano)) ?? ''), true);

  if (account === undefined) {
    await show(`/accounts/${PAID}?tab=ledger`);
    const { rows: sums } = await client.query(
      `select (select sum(amount) from ledger_entries where account_id = $1 and kind = 'deposit')::text as credit,
        (select sum(cost_nano) from usage_events where account_id = $1)::text as spent`,
      [PAID],
    );
    const head = await page.locator('main').innerText();
    is('drawn: account: paid in', head.includes(formatUsd(usdOf(sums[0].credit)) ?? '?'), true);
    is('drawn: account: spent', head.includes(formatUsd(usdOf(sums[0].spent)) ?? '?'), true);
  }
  await context.close();
}
