// Spend reports: by account, member, key, model, provider and tag they add up to the ledger's charges, to the nano-dollar.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { PRICED_MODELS } from '../support/priced-models.ts';

const WAIT = { timeout: 20_000, interval: 100 };
const ACCOUNTS = ['spend-a', 'spend-b'] as const;

type Row = Readonly<Record<string, unknown>> & { readonly costUsd: string; readonly requests: number };

let stand: AdminStand;
let owner: string;
let memberId: string;

const nanoOf = (usd: string): bigint => {
  const [whole = '0', decimals = ''] = usd.split('.');
  return BigInt(whole) * 1_000_000_000n + BigInt(decimals.padEnd(9, '0'));
};
const costOf = (rows: readonly Row[]): bigint => rows.reduce((sum, { costUsd }) => sum + nanoOf(costUsd), 0n);
const read = async (query: string, secret?: string): Promise<readonly Row[]> => {
  const { status, json, text } = await stand.admin('GET', `/usage?${query}`, undefined, secret);
  expect(status, text).toBe(200);
  return json['items'] as Row[];
};
const chargedTo = async (account: string): Promise<bigint> =>
  nanoOf((await stand.admin('GET', `/accounts/${account}/credits`)).json['spentUsd'] as string);

beforeAll(async () => {
  stand = await openAdminStand({ alsoHosts: () => ({ providers: {}, models: PRICED_MODELS }) });
  const asking: Promise<unknown>[] = [];
  for (const account of ACCOUNTS) {
    await stand.admin('POST', '/accounts', { id: account, name: account, kind: 'prepaid' });
    await stand.admin('POST', `/accounts/${account}/credits`, { usd: '50' });
    await stand.admin('POST', `/accounts/${account}/tags`, { key: 'team' });
    const member = await stand.admin('POST', `/accounts/${account}/members`, { name: 'Ann', role: 'developer' });
    memberId = member.json['id'] as string;
    const key = async (body: object): Promise<string> =>
      (await stand.admin('POST', `/accounts/${account}/keys`, body)).json['secret'] as string;
    owner = await key({ name: 'app', rights: { manages: 'owner' } });
    const keys = [owner, await key({ name: 'hers', memberId })];
    await vi.waitFor(async () => {
      await stand.chat(owner, { model: 'priced/flat', max_tokens: 5, metadata: { team: 'search' } });
      expect(stand.records.at(-1)?.tags).toEqual({ team: 'search' });
    }, WAIT);
    for (let at = 0; at < 12; at++)
      asking.push(
        stand.chat(keys[at % 2]!, {
          model: at % 3 === 0 ? 'priced/tiered' : 'priced/flat',
          max_tokens: 5 + at,
          messages: [{ role: 'user', content: 'word '.repeat(1 + at) }],
          ...(at % 4 > 0 && { metadata: { team: at % 4 === 1 ? 'search' : 'ads' } }),
        }),
      );
  }
  await Promise.all(asking);
  // Both the ledger and the sums have all requests.
  await vi.waitFor(async () => {
    expect((await read('by=account')).map(({ requests }) => requests)).toEqual([13, 13]);
    for (const account of ACCOUNTS) expect(await chargedTo(account)).toBe(costOf(await read(`account=${account}`)));
  }, WAIT);
});
afterAll(() => stand.close());

test.each([
  ['by=account'],
  ['by=account&bucket=hour'],
  ['by=account&bucket=day&tz=Asia/Tokyo'],
  ['bucket=month'],
  ['by=member,key'],
  ['by=model,provider,key'],
  ['by=tag:team'],
  ['by=account,tag:team,model&bucket=day'],
  ['by=key&latency=true'],
  ['by=protocol,outcome,lane'],
  ['by=lane,account,model&bucket=day&latency=true'],
])('%s: the rows add up to the charges in the ledger', async (query) => {
  let charged = 0n;
  for (const account of ACCOUNTS) charged += await chargedTo(account);
  expect(charged).toBeGreaterThan(0n);
  const rows = await read(query);
  expect(costOf(rows)).toBe(charged);
  expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBe(26);
});

test('rows by tag have the tag values, and an empty value for untagged requests', async () => {
  const rows = await read('by=tag:team&account=spend-a');
  expect(new Map(rows.map(({ tag, requests }) => [tag, requests]))).toEqual(
    new Map([
      ['search', 4],
      ['ads', 6],
      ['', 3],
    ]),
  );
  expect(await read('tag=team=ads&account=spend-a')).toMatchObject([{ requests: 6 }]);
});

test('rows by member have the member of the key', async () => {
  const rows = await read('by=member&account=spend-b');
  expect(new Map(rows.map(({ member, requests }) => [member, requests]))).toEqual(
    new Map([
      ['', 7],
      [memberId, 6],
    ]),
  );
});

test('ids of accounts, members and keys have their names beside them', async () => {
  const rows = await read('by=account,member,key');
  const hers = rows.filter(({ member }) => member !== '');
  expect(hers.map(({ accountName, memberName, keyName }) => [accountName, memberName, keyName]).sort()).toEqual(
    ACCOUNTS.map((account) => [account, 'Ann', 'hers']),
  );
  expect(rows.find(({ member }) => member === '')).toMatchObject({ memberName: null, keyName: 'app' });
  const own = await read('by=key', owner);
  expect(own.map(({ keyName }) => keyName).sort()).toEqual(['app', 'hers']);
  const { text } = await stand.admin('GET', '/usage.csv?by=key&account=spend-a');
  expect(text.split('\n')[0]).toMatch(/,keyName\r?$/);
});

test('latencies are included on request', async () => {
  const [without] = await read('account=spend-a');
  expect(without).toMatchObject({ durationMs: null, firstTokenMs: null, faults: { upstream: 0 }, unpriced: 0 });
  const [row] = await read('account=spend-a&latency=true');
  const { p50, p99 } = row!['durationMs'] as { p50: number; p99: number };
  expect(p50).toBeGreaterThan(0);
  expect(p99).toBeGreaterThanOrEqual(p50);
});

test('an account reads only its own sums', async () => {
  expect(await read('by=account', owner)).toMatchObject([{ account: 'spend-b', requests: 13 }]);
  expect((await stand.admin('GET', '/usage?account=spend-a', undefined, owner)).status).toBe(404);
  expect((await stand.admin('GET', '/usage.csv?account=spend-a', undefined, owner)).status).toBe(404);
});

test.each([
  ['by=colour', 'by'],
  ['by=tag:a,tag:b', 'by'],
  ['by=tag:a&tag=b=c', 'tag'],
  ['tag=nothing', 'tag'],
  ['by=protocol,tag:team', 'by'],
  ['lane=verbatim&tag=team=ads', 'tag'],
  ['tz=Mars/Olympus', 'tz'],
  ['from=yesterday', 'from'],
  ['from=2026-11-02&until=2026-11-01', 'from'],
  ['from=2020-01-01&until=2026-11-01', 'from'],
])('%s is refused, and the error names the field', async (query, field) => {
  expect(await stand.admin('GET', `/usage?${query}`)).toMatchObject({ status: 400, json: { error: { field } } });
});

test('the command line prints the report as a table, as CSV and in FOCUS columns', async () => {
  const run = async (...args: string[]) => {
    const terminal = fakeTerminal({ TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET, TRIVIUM_ADMIN_URL: stand.gateway.adminUrl });
    await runCommandLine(['usage', 'report', ...args], terminal);
    expect(terminal.errors).toEqual([]);
    return terminal.output.join('\n');
  };
  expect(await run('--by', 'account,tag:team')).toMatch(/^spend-a +ads +6 /m);
  expect(await run('--by', 'account', '--csv')).toMatch(/^account,requests/);
  expect(await run('--focus')).toMatch(/^BilledCost,BillingAccountId/);
});

const linesOf = (text: string): string[][] =>
  text
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));

test('CSV has the same rows, and its costs are exact', async () => {
  const { text, headers } = await stand.admin('GET', '/usage.csv?by=account,model&bucket=day');
  expect(headers.get('content-type')).toContain('text/csv');
  const [names, ...lines] = linesOf(text);
  expect(names?.slice(0, 3)).toEqual(['at', 'account', 'model']);
  const cost = names!.indexOf('costUsd');
  expect(lines.reduce((sum, line) => sum + nanoOf(line[cost]!), 0n)).toBe(
    costOf(await read('by=account,model&bucket=day')),
  );
});

test('the FOCUS report has its columns, and billed equals charged', async () => {
  const { text } = await stand.admin('GET', '/usage.focus.csv?by=tag:team');
  const [names, ...lines] = linesOf(text.replaceAll(/"\{[^}]*\}"/g, '{}'));
  for (const column of [
    'BilledCost',
    'BillingAccountId',
    'ChargePeriodStart',
    'ChargePeriodEnd',
    'ServiceCategory',
    'Tags',
  ])
    expect(names).toContain(column);
  const billed = lines.reduce((sum, line) => sum + nanoOf(line[names!.indexOf('BilledCost')]!), 0n);
  expect(billed).toBe(costOf(await read('by=account')));
  const [start, end] = ['ChargePeriodStart', 'ChargePeriodEnd'].map((name) =>
    Date.parse(lines[0]![names!.indexOf(name)]!),
  );
  expect(end! - start!).toBe(86_400_000);
});

test('reports distinguish Responses, translated and failed requests, in agreement with the records', async () => {
  await stand.admin('POST', '/accounts', { id: 'spend-c', name: 'spend-c', kind: 'unlimited' });
  const { json } = await stand.admin('POST', '/accounts/spend-c/keys', { name: 'app' });
  const secret = json['secret'] as string;
  const call = (path: string, body: object) =>
    fetch(`${stand.url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${secret}`,
        'anthropic-version': '2023-06-01',
      },
      body: JSON.stringify(body),
    });
  const messages = [{ role: 'user', content: 'Hello' }];
  expect((await call('/api/v1/responses', { model: 'priced/flat', input: 'Hello' })).status).toBe(200);
  expect((await call('/api/v1/chat/completions', { model: 'priced/flat', messages })).status).toBe(200);
  expect((await call('/api/anthropic/v1/messages', { model: 'priced/flat', max_tokens: 9, messages })).status).toBe(
    200,
  );
  expect((await call('/api/v1/responses', { model: 'none/such', input: 'Hello' })).status).toBe(404);
  await vi.waitFor(async () => {
    const rows = await read('account=spend-c&by=protocol,outcome,lane');
    expect(
      rows.map(({ protocol, outcome, lane, requests, refused }) => [protocol, outcome, lane, requests, refused]).sort(),
    ).toEqual([
      ['chat', 'ok', 'verbatim', 1, 0],
      ['messages', 'ok', 'translated', 1, 0],
      ['responses', 'ok', 'translated', 1, 0],
      ['responses', 'unknown-model', '', 0, 1],
    ]);
  }, WAIT);
  expect(await read('account=spend-c&by=outcome&protocol=responses')).toMatchObject([
    { outcome: 'ok', requests: 1, recorded: 1, errors: 0 },
    { outcome: 'unknown-model', requests: 0, recorded: 1, errors: 1 },
  ]);
  const listed = await stand.admin('GET', '/requests?account=spend-c&protocol=responses');
  const items = listed.json['items'] as { protocol: string; outcome: string; costUsd: string }[];
  expect(items.map(({ outcome }) => outcome).sort()).toEqual(['ok', 'unknown-model']);
  expect(costOf(await read('account=spend-c&by=protocol'))).toBe(await chargedTo('spend-c'));
  const metrics = await (await fetch(`${stand.gateway.adminUrl}/metrics`)).text();
  expect(metrics).toMatch(/^trivium_requests_total\{protocol="responses",route="text-call",[^}]*\} 1$/m);
});
