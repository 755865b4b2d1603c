// An account reads its requests and their cost with its API key.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { KEY, openStand, postChat, type Stand } from '../support/stand.ts';

const OTHER_KEY = 'sk-trivium-other-0123456789abcdefghijklmnopqrstuv';
const usd = (value: string): object[] => [{ value, unit: 'perMTokens', currency: 'USD' }];

const open = (database?: TestDatabase): Promise<Stand> =>
  openStand({
    config: () => ({
      keys: [
        { name: 'test', secret: KEY, account: 'acme' },
        { name: 'other', secret: OTHER_KEY, account: 'umbrella' },
      ],
      ...(database !== undefined && { database: { url: database.url } }),
    }),
    alsoHosts: () => ({
      providers: {},
      models: [
        {
          id: 'cost/any',
          contextLength: 128_000,
          maxOutputTokens: 16_384,
          endpoints: [
            { provider: 'compatible', upstreamModel: 'any', pricings: { prompt: usd('3'), completion: usd('15') } },
          ],
        },
      ],
    }),
  });

const read = async (stand: Stand, path: string, key: string = KEY) => {
  const response = await fetch(`${stand.chatUrl}/${path}`, { headers: { authorization: `Bearer ${key}` } });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
};
const ask = (stand: Stand, members: object = {}) =>
  postChat(stand, { model: 'cost/any', messages: [{ role: 'user', content: 'Hello' }], ...members });

describe.each(['memory alone', 'a database'])('with %s', (kind) => {
  let stand: Stand;
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    database = kind === 'a database' ? await freshDatabase() : undefined;
    stand = await open(database);
  });
  afterAll(async () => {
    await stand.close();
    await database?.drop();
  });

  test('a request can be read by its id at once, with every line of its bill', async () => {
    const reply = await ask(stand, { metadata: { team: 'blue' } });
    const cost = reply.headers.get('x-trivium-cost');
    const { status, json } = await read(stand, `generation?id=${String(reply.json['id'])}`);
    expect(status).toBe(200);
    const usage = reply.json['usage'] as { prompt_tokens: number; completion_tokens: number };
    expect(json['data']).toMatchObject({
      id: reply.headers.get('x-request-id'),
      model: 'cost/any',
      provider: 'compatible',
      outcome: 'ok',
      cost_usd: cost,
      usage: { prompt: usage.prompt_tokens, completion: usage.completion_tokens },
      cost_lines: [
        { meter: 'prompt', kind: 'prompt', quantity: usage.prompt_tokens, unit: 'perMTokens', price_usd: '3' },
        { meter: 'completion', price_usd: '15' },
      ],
      attempts: [{ provider: 'compatible' }],
      metadata: { team: 'blue' },
    });
  });

  test('a request of another account is the same 404 as an unknown one', async () => {
    const reply = await ask(stand);
    const id = String(reply.headers.get('x-request-id'));
    const others = await read(stand, `generation?id=${id}`, OTHER_KEY);
    const unknown = await read(stand, `generation?id=${id.slice(0, -4)}0000`, OTHER_KEY);
    expect(others.status).toBe(404);
    expect(others.json).toEqual(unknown.json);
    for (const bad of ['', '1', "';--", '%00', 'x'.repeat(3000)])
      expect((await read(stand, `generation?id=${bad}`)).status).toBe(404);
    expect((await read(stand, 'generation')).status).toBe(400);
  });

  test('a valid key is required', async () => {
    for (const path of ['generation?id=1', 'usage', 'credits', 'key']) {
      expect((await read(stand, path, 'sk-nobody')).status).toBe(401);
      expect((await fetch(`${stand.chatUrl}/${path}`, { method: 'POST' })).status).toBe(405);
    }
    expect((await read(stand, 'key')).json).toMatchObject({ data: { key: 'test', account: 'acme' } });
    expect((await read(stand, 'credits')).json).toMatchObject({ data: { account: 'acme', kind: 'unlimited' } });
  });
});

test('usage by day, model and key, and the spend, equal the sum of the requests', async () => {
  const database = await freshDatabase();
  let stand = await open(database);
  const costs: number[] = [];
  for (let n = 0; n < 3; n++) costs.push(Number((await ask(stand)).headers.get('x-trivium-cost')));
  await ask(stand, { stream: true });
  // Closing stores queued usage.
  await stand.close();
  stand = await open(database);
  try {
    const { json } = await read(stand, 'usage?by=day,model,key');
    const [sum, ...more] = json['data'] as { requests: number; cost_usd: string }[];
    expect(more).toEqual([]);
    expect(sum).toMatchObject({ model: 'cost/any', key: 'test', requests: 4, failed: 0 });
    expect(Number(sum?.cost_usd)).toBeCloseTo(costs.reduce((a, b) => a + b, 0) + (costs[0] ?? 0), 9);
    expect((await read(stand, 'key')).json).toMatchObject({ data: { spent_usd: sum?.cost_usd } });
    expect((await read(stand, 'credits', OTHER_KEY)).json).toMatchObject({ data: { spent_usd: '0' } });
    expect((await read(stand, 'usage', OTHER_KEY)).json['data']).toEqual([]);
    expect((await read(stand, 'usage?by=colour')).status).toBe(400);
  } finally {
    await stand.close();
    await database.drop();
  }
});
