// Bounds and pages of what is stored, responses that are still being made, and counts without any store.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AdminStand, openAdminStand } from '../../support/admin-stand.ts';
import { withConverse } from '../../support/converse-host.ts';
import { PRICED_MODELS } from '../../support/priced-models.ts';
import { type Json, OWN, responsesHosts } from '../../support/responses-probe.ts';
import { errorOf, idIn, makeAt, makeBehind, query, type Reply, send } from '../../support/stored-calls.ts';
import { HOSTS, openStoredStand } from '../../support/stored-checks.ts';

let stand: AdminStand;
let secret: string;
beforeAll(async () => {
  stand = await openStoredStand();
  ({ secret } = await stand.newAccount('acme'));
});
afterAll(() => stand.close());

const get = (path: string): Promise<Reply> => send(stand, secret, 'GET', path);
const post = (path: string, body?: unknown): Promise<Reply> => send(stand, secret, 'POST', path, body);
const said = (content: string): Json => ({ role: 'user', content });
const refusal = (reply: Reply) => ({ status: reply.status, param: errorOf(reply)['param'] });

describe('pages', () => {
  const TEXTS = ['one', 'two', 'three', 'four', 'five'];
  const LISTS: readonly (readonly [string, () => Promise<string>])[] = [
    [
      'input items of a response',
      async () => `/responses/${idIn(await makeAt(stand, secret, { input: TEXTS.map(said) }))}/input_items`,
    ],
    [
      'items of a conversation',
      async () => `/conversations/${idIn(await post('/conversations', { items: TEXTS.map(said) }))}/items`,
    ],
  ];

  test.each(LISTS)('[R-89] %s come newest first, or in order, from behind any of them', async (_, listed) => {
    const path = await listed();
    const page = async (asked: string) => {
      const { status, json } = await get(`${path}${asked}`);
      const data = json['data'] as { id: string; content: { text: string }[] }[];
      expect(status).toBe(200);
      expect(json).toMatchObject({ object: 'list', first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null });
      return { texts: data.map(({ content }) => content[0]?.text), last: data.at(-1)?.id, more: json['has_more'] };
    };
    expect(await page('')).toMatchObject({ texts: TEXTS.toReversed(), more: false });
    expect(await page('?order=asc&limit=5')).toMatchObject({ texts: TEXTS, more: false });
    for (const [order, texts] of [
      ['asc', TEXTS],
      ['desc', TEXTS.toReversed()],
    ] as const) {
      const first = await page(`?order=${order}&limit=2`);
      expect(first).toMatchObject({ texts: texts.slice(0, 2), more: true });
      const second = await page(`?order=${order}&limit=2&after=${first.last}`);
      expect(second).toMatchObject({ texts: texts.slice(2, 4), more: true });
      const third = await page(`?order=${order}&limit=2&after=${second.last}`);
      expect(third).toMatchObject({ texts: texts.slice(4), more: false });
      expect(await page(`?order=${order}&after=${third.last}`)).toMatchObject({ texts: [], more: false });
    }
    for (const limit of ['0', '101', '-1', '1.5', 'all', ''])
      expect({ limit, ...refusal(await get(`${path}?limit=${limit}`)) }).toEqual({
        limit,
        status: 400,
        param: 'limit',
      });
    expect((await get(`${path}?limit=100`)).status).toBe(200);
    expect(refusal(await get(`${path}?order=newest`))).toEqual({ status: 400, param: 'order' });
    for (const after of ['msg_none', '%00', '..'])
      expect({ after, ...refusal(await get(`${path}?after=${after}`)) }).toEqual({
        after,
        status: 404,
        param: 'after',
      });
  });
});

describe('bounds of conversations', () => {
  const items = (count: number) => ({ items: Array.from({ length: count }, () => said('x')) });
  const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`name-${at}`, 'x']));

  test('[R-90] a call adds up to 20 whole items', async () => {
    const id = idIn(await post('/conversations', items(20)));
    expect((await post(`/conversations/${id}/items`, items(20))).status).toBe(200);
    for (const [path, body, param] of [
      ['', items(21), 'items'],
      ['', { items: 'x' }, 'items'],
      [`/${id}/items`, items(21), 'items'],
      [`/${id}/items`, items(0), 'items'],
      [`/${id}/items`, {}, 'items'],
      [`/${id}/items`, { items: [said('x'), 'x'] }, 'items[1]'],
      [`/${id}/items`, { items: [{ type: 'item_reference', id: 'msg_1' }] }, 'items[0]'],
      [`/${id}/items`, { items: [{ id: 'msg_1' }] }, 'items[0]'],
      [`/${id}/items`, { items: [{ type: 5, role: 'user', content: 'x' }] }, 'items[0].type'],
      [`/${id}/items`, { items: [{ role: 'user', content: 5 }] }, 'items[0].content'],
    ] as const)
      expect({ path, ...refusal(await post(`/conversations${path}`, body)) }).toEqual({ path, status: 400, param });
    const listed = async (limit: string) => (await get(`/conversations/${id}/items${limit}`)).json;
    expect([(await listed('?limit=100'))['data'], await listed('')]).toMatchObject([
      { length: 40 },
      { data: { length: 20 }, has_more: true },
    ]);
  });

  test('[R-90] metadata are up to 16 short texts', async () => {
    const most = { ...pairs(15), ['n'.repeat(64)]: 'v'.repeat(512) };
    const id = idIn(await post('/conversations', { metadata: most }));
    for (const metadata of [pairs(17), { ['n'.repeat(65)]: 'x' }, { a: 'v'.repeat(513) }, { a: 5 }, [], 'x'])
      for (const path of ['/conversations', `/conversations/${id}`])
        expect(refusal(await post(path, { metadata }))).toEqual({ status: 400, param: 'metadata' });
    expect((await get(`/conversations/${id}`)).json['metadata']).toEqual(most);
  });
});

test('[R-91] starting_after is the number of an event', async () => {
  const id = await makeBehind(stand, secret, 'A stream, please');
  for (const after of ['x', '-1', '1.5', '', '1e3', '9999999999'])
    expect({ after, ...refusal(await get(`/responses/${id}?stream=true&starting_after=${after}`)) }).toEqual({
      after,
      status: 400,
      param: 'starting_after',
    });
  const beyond = await get(`/responses/${id}?stream=true&starting_after=999999`);
  expect({ status: beyond.status, text: beyond.text }).toEqual({ status: 200, text: '' });
});

test('[R-92] a response that is still being made is not deleted, and nothing goes on from it', async () => {
  const input = 'Tell me all. @simulate scenario=text-long words=4000 tps=100';
  const id = idIn(await makeAt(stand, secret, { model: OWN, input, background: true }));
  const still = { status: 400, param: 'response_id' };
  expect(refusal(await send(stand, secret, 'DELETE', `/responses/${id}`))).toEqual(still);
  expect(refusal(await get(`/responses/${id}/input_items`))).toEqual(still);
  const next = await makeAt(stand, secret, { previous_response_id: id });
  expect({ status: next.status, code: errorOf(next)['code'] }).toEqual({
    status: 400,
    code: 'previous_response_not_found',
  });
  expect((await get(`/responses/${id}`)).json['status']).toMatch(/^(queued|in_progress)$/);
  expect((await post(`/responses/${id}/cancel`)).json['status']).toBe('cancelled');
  expect((await get(`/responses/${id}/input_items`)).status).toBe(200);
  expect((await send(stand, secret, 'DELETE', `/responses/${id}`)).json).toEqual({
    id,
    object: 'response',
    deleted: true,
  });
  expect((await get(`/responses/${id}`)).status).toBe(404);
});

describe('without a store', () => {
  let plain: AdminStand;
  let counting: string;
  beforeAll(async () => {
    plain = await openAdminStand({
      alsoHosts: (...simulated) => {
        const { providers, models } = withConverse(responsesHosts)(...simulated);
        return { providers, models: [...models, ...PRICED_MODELS] };
      },
    });
    ({ secret: counting } = await plain.newAccount('counting'));
  });
  afterAll(() => plain.close());

  test.each(Object.entries(HOSTS))(
    '[R-71] input tokens of a call over %s are counted, and neither recorded nor charged',
    async (_, model) => {
      const records = plain.records.length;
      const count = async (input: string): Promise<number> => {
        const { status, json } = await send(plain, counting, 'POST', '/responses/input_tokens', { model, input });
        expect({ status, json }).toEqual({
          status: 200,
          json: { object: 'response.input_tokens', input_tokens: expect.any(Number) },
        });
        return Number(json['input_tokens']);
      };
      expect(await count('long '.repeat(200))).toBeGreaterThan((await count('short')) + 150);
      // The call itself is all that there is.
      expect((await makeAt(plain, counting, { model, input: 'short' })).status).toBe(200);
      expect(plain.records.slice(records)).toMatchObject([{ accountId: 'counting' }]);
      const referring = { model, input: 'short', previous_response_id: 'resp_1' };
      const refused = await send(plain, counting, 'POST', '/responses/input_tokens', referring);
      expect({ ...refusal(refused), message: errorOf(refused)['message'] }).toEqual({
        status: 400,
        param: 'previous_response_id',
        message: expect.stringContaining('state.keepHours'),
      });
    },
  );

  test('[R-71] counting at a model with a price costs nothing', async () => {
    const asked = { model: 'priced/flat', input: 'short' };
    for (let times = 0; times < 3; times++)
      expect((await send(plain, counting, 'POST', '/responses/input_tokens', asked)).status).toBe(200);
    expect((await makeAt(plain, counting, asked)).status).toBe(200);
    const rows = (table: string) => query(plain.database.url, `select from ${table} where account_id = 'counting'`);
    await expect.poll(() => rows('ledger_entries')).toHaveLength(1);
    expect(await rows('ledger_holds')).toEqual([]);
  });
});
