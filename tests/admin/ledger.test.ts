/** The ledger at the admin API: entries with the balance after each, in pages, for a time range, and as a statement. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { PRICED_MODELS } from '../support/priced-models.ts';

type Entry = Record<'sequence' | 'at' | 'id' | 'kind' | 'amountUsd' | 'balanceUsd', string> & {
  readonly requestId: string | null;
};

let stand: AdminStand;
let requestId: string;
let key: string;
beforeAll(async () => {
  stand = await openAdminStand({ alsoHosts: () => ({ providers: {}, models: PRICED_MODELS }) });
  await stand.admin('POST', '/accounts', { id: 'paying', name: 'paying', kind: 'prepaid' });
  const made = await stand.admin('POST', '/accounts/paying/keys', { name: 'app', rights: { manages: 'viewer' } });
  key = made.json['secret'] as string;
  for (const usd of ['5', '2.5', '-1']) await stand.admin('POST', '/accounts/paying/credits', { usd, memo: `=${usd}` });
  const reply = await stand.chat(key, { model: 'priced/flat', max_tokens: 100 });
  requestId = reply.headers.get('x-request-id') ?? '';
  await vi.waitFor(async () => expect(await entries()).toHaveLength(4), { timeout: 20_000 });
});
afterAll(() => stand.close());

const page = async (query: string, secret?: string) => {
  const { status, json, text } = await stand.admin('GET', `/accounts/paying/ledger?${query}`, undefined, secret);
  if (status !== 200) throw new Error(text);
  return { items: json['items'] as Entry[], next: json['next'] as string | null };
};
const entries = async (query = '', secret?: string) => (await page(query, secret)).items;
const nano = (usd: string): bigint => BigInt(Math.round(Number(usd) * 1e9));

test('every entry has its amount and the balance after it, and the last is the account balance', async () => {
  const all = await entries('', key);
  expect(all.map(({ kind }) => kind)).toEqual(['charge', 'withdrawal', 'deposit', 'deposit']);
  expect(all[0]).toMatchObject({ id: requestId, requestId, estimated: false });
  expect(all.slice(1).map(({ amountUsd, balanceUsd }) => [amountUsd, balanceUsd])).toEqual([
    ['-1', '6.5'],
    ['2.5', '7.5'],
    ['5', '5'],
  ]);
  const { creditUsd, spentUsd } = (await stand.admin('GET', '/accounts/paying/credits')).json as Record<string, string>;
  expect(nano(all[0]?.balanceUsd ?? '')).toBe(nano(creditUsd ?? '') - nano(spentUsd ?? ''));
});

test('balances are the same in pages and in time ranges', async () => {
  const all = await entries();
  const seen: Entry[] = [];
  let after = '';
  for (let more = true; more; ) {
    const { items, next } = await page(`limit=1${after}`);
    seen.push(...items);
    more = next !== null;
    after = `&after=${next}`;
  }
  expect(seen).toEqual(all);
  const [, , second, first] = all as [Entry, Entry, Entry, Entry];
  expect(await entries(`until=${second.at}`)).toEqual([first]);
  expect(await entries(`from=${second.at}`)).toEqual(all.slice(0, 3));
  expect(await entries(`from=${second.at}&until=${all[1]?.at}`)).toEqual([second]);
  expect((await page(`from=${second.at}&limit=3`)).next).toBeNull();
});

test('a statement has the entries of a time range, the oldest first', async () => {
  const all = (await entries()).toReversed();
  const { headers, text } = await stand.admin('GET', '/accounts/paying/ledger.csv');
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const [head, ...lines] = text.trimEnd().split('\r\n');
  expect(head).toMatch(/^sequence,at,id,kind,amountUsd,balanceUsd,/);
  expect(lines.map((line) => line.split(',')[5])).toEqual(all.map(({ balanceUsd }) => balanceUsd));
  expect(lines[0]).toMatch(/,'=5$/);
  const part = await stand.admin('GET', `/accounts/paying/ledger.csv?from=${all[1]?.at}&until=${all[2]?.at}`);
  expect(part.text.trimEnd().split('\r\n').slice(1)).toEqual([lines[1]]);
});

test('the error names a bad parameter, and an account without entries has an empty list', async () => {
  await stand.admin('POST', '/accounts', { id: 'new', name: 'new', kind: 'prepaid' });
  expect((await stand.admin('GET', '/accounts/new/ledger')).json).toEqual({ items: [], next: null });
  expect((await stand.admin('GET', '/accounts/none/ledger')).status).toBe(404);
  for (const [query, field] of [
    ['after=x', 'after'],
    ['from=yesterday', 'from'],
    ['until=2026-13-01T00:00:00Z', 'until'],
  ]) {
    const { status, json } = await stand.admin('GET', `/accounts/paying/ledger?${query}`);
    expect([status, (json['error'] as { field: string }).field], query).toEqual([400, field]);
  }
});

test('the command line prints entries and statements', async () => {
  const run = async (line: string) => {
    const terminal = fakeTerminal({ TRIVIUM_ADMIN_URL: stand.gateway.adminUrl, TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET });
    await runCommandLine(line.split(' '), terminal);
    return terminal.output;
  };
  expect((await run('ledger entries paying'))[1]).toContain(requestId);
  expect(await run('ledger entries paying --csv')).toHaveLength(5);
});
