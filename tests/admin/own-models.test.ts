/** Own models, aliases and rules of alerts that operators set while the gateway runs. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';

let stand: AdminStand;
let secret: string;
beforeAll(async () => {
  stand = await openAdminStand();
  secret = (await stand.newAccount('shop')).secret;
});
afterAll(() => stand.close());

const MODEL = { id: 'own/small', endpoints: [{ provider: 'compatible', upstreamModel: 'any' }] };
const statusOf = async (model: string): Promise<number> => (await stand.chat(secret, { model })).status;
const becomes = (model: string, status: number): Promise<void> =>
  vi.waitFor(async () => expect(await statusOf(model)).toBe(status), 20_000);

test('a model and its alias can be called once they are set, and not after they are removed', async () => {
  expect(await statusOf('small')).toBe(404);
  expect((await stand.admin('POST', '/models/own', MODEL)).status).toBe(200);
  expect((await stand.admin('POST', '/models/aliases', { name: 'small', model: 'own/small' })).status).toBe(200);
  await becomes('small', 200);
  expect(await statusOf('own/small')).toBe(200);
  expect((await stand.admin('DELETE', '/models/own/small')).json['error']).toMatchObject({
    message: '"own/small" is not a model of the catalogue',
  });
  expect((await stand.admin('DELETE', '/models/aliases?name=small')).status).toBe(200);
  expect((await stand.admin('DELETE', '/models/own/small')).status).toBe(200);
  await becomes('own/small', 404);
});

test.each([
  ['a host that is not configured', '/models/own', { ...MODEL, endpoints: [{ provider: 'nowhere' }] }],
  ['an unknown field', '/models/own', { ...MODEL, contextlength: 5 }],
  ['an alias of no model', '/models/aliases', { name: 'a', model: 'own/none' }],
  ['an alias that is the id of a model', '/models/aliases', { name: 'openai/gpt-4o', model: 'openai/gpt-5' }],
])('%s is refused, and nothing is stored', async (_what, path, body) => {
  expect((await stand.admin('POST', path, body)).status).toBe(400);
  expect((await stand.admin('GET', path)).json['items']).toEqual([]);
});

test('a model of the configuration file takes precedence over one of the database', async () => {
  const hidden = { id: 'openai/gpt-4o', displayName: 'Another', endpoints: [{ provider: 'compatible' }] };
  expect((await stand.admin('POST', '/models/own', hidden)).status).toBe(200);
  await stand.admin('POST', '/models/aliases', { name: 'marker', model: 'openai/gpt-4o' });
  await becomes('marker', 200);
  expect((await stand.admin('GET', '/models/openai/gpt-4o')).json['displayName']).not.toBe('Another');
});

test('a rule of alerts replaces the thresholds of the configuration until it is reset', async () => {
  const ruleOf = async (kind: string) =>
    ((await stand.admin('GET', '/alerts/rules')).json['items'] as { kind: string }[]).find(
      (rule) => rule.kind === kind,
    );
  const set = await stand.admin('PATCH', '/alerts/rules/budget.reached', { budgetPercents: [33] });
  expect(set.json).toMatchObject({ source: 'database', raisedWhen: expect.stringContaining('33 %') });
  expect(await ruleOf('budget.reached')).toEqual(set.json);
  expect((await stand.admin('PATCH', '/alerts/rules/provider.out', { enabled: false })).json['enabled']).toBe(false);
  expect((await stand.admin('PATCH', '/alerts/rules/provider.out', { factor: 2 })).status).toBe(400);
  expect((await stand.admin('PATCH', '/alerts/rules/nothing', { enabled: false })).status).toBe(404);
  expect((await stand.admin('DELETE', '/alerts/rules/budget.reached')).json).toMatchObject({
    source: 'configuration',
    raisedWhen: expect.stringContaining('50, 80, 95, 100 %'),
  });
  expect((await stand.admin('DELETE', '/alerts/rules/budget.reached')).status).toBe(404);
});
