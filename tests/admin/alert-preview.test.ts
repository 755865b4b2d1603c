/** Rules of alerts and how often they would have been raised, from the sums of the last week. */
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';

let stand: AdminStand;
beforeAll(async () => {
  stand = await openAdminStand();
  await stand.admin('POST', '/accounts', { id: 'poor', name: 'Poor', kind: 'prepaid' });
  await stand.admin('POST', '/accounts/poor/credits', { usd: '3', id: 'first' });
  const client = new Client({ connectionString: stand.database.url });
  await client.connect();
  for (const [hoursAgo, provider, requests, faults, usd] of [
    [2, 'shaky', 100, 30, 7],
    [30, 'shaky', 100, 11, 7],
    [31, 'shaky', 10, 10, 0],
    [32, 'solid', 100, 1, 0],
    [24 * 9, 'shaky', 100, 90, 0],
  ] as const)
    await client.query(
      `insert into usage_hourly (account_id, key_id, model_id, provider, hour, requests, failed, upstream_faults, input_tokens, output_tokens, cost_nano)
       values ('poor', 'k', 'm', $1, date_trunc('hour', now()) - make_interval(hours => $2), $3, $4, $4, 0, 0, $5::bigint * 1000000000)`,
      [provider, hoursAgo, requests, faults, usd],
    );
  await client.end();
});
afterAll(() => stand.close());

const preview = async (kind: string, rule: object) => stand.admin('POST', `/alerts/rules/${kind}/preview`, rule);

test('the preview counts the hours of the last week in which a rule would have been raised', async () => {
  const { json } = await preview('errors.high', { errorPercent: 10 });
  expect(json).toMatchObject({
    times: 2,
    examples: [
      { subject: 'shaky', value: '30 %' },
      { subject: 'shaky', value: '11 %' },
    ],
  });
  expect((await preview('errors.high', { errorPercent: 20 })).json).toMatchObject({ times: 1 });
  expect((await preview('errors.high', { errorPercent: 20, minRequests: 5 })).json).toMatchObject({ times: 2 });
  expect((await preview('latency.high', { firstTokenMs: 1 })).json).toMatchObject({ times: 0 });
});

test('credit is compared with the pace of the week', async () => {
  expect((await preview('credit.low', { creditDays: 2 })).json).toMatchObject({
    times: 1,
    examples: [{ subject: 'poor', value: '1.5 d' }],
  });
  expect((await preview('credit.low', { creditDays: 1 })).json).toMatchObject({ times: 0 });
});

test('a preview changes nothing, and what nothing tells of has no number', async () => {
  expect((await preview('provider.out', { enabled: true })).json).toMatchObject({ times: null });
  expect((await preview('errors.high', { factor: 2 })).status).toBe(400);
  const rules = (await stand.admin('GET', '/alerts/rules')).json['items'] as { kind: string; enabled: boolean }[];
  expect(rules.find(({ kind }) => kind === 'errors.high')).toMatchObject({ enabled: false, values: {} });
  const set = await stand.admin('PATCH', '/alerts/rules/errors.high', { errorPercent: 5, minRequests: 50 });
  expect(set.json).toMatchObject({ enabled: true, values: { errorPercent: 5, minRequests: 50 }, source: 'database' });
});
