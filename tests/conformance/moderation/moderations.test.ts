// MO: moderation in OpenAI's format, passed through, free where its price says so.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AdminStand, openAdminStand } from '../../support/admin-stand.ts';
import { type Json, postJson, type Reply } from '../../support/embed-probe.ts';
import { LIMITED_KEY } from '../../support/stand.ts';

const OMNI = 'openai/omni-moderation-latest';
const OWN = 'own/guard';
const UNPRICED = 'own/unpriced-guard';
const FREE = { prompt: [{ value: '0', unit: 'perMTokens', currency: 'USD' }] };
const PICTURE = { type: 'image_url', image_url: { url: 'https://pictures.example.com/a.png' } };

let stand: AdminStand;
beforeAll(async () => {
  const guard = (id: string, more: object) => ({
    id,
    outputModalities: ['moderation'],
    endpoints: [{ provider: 'compatible', upstreamModel: 'guard', ...more }],
  });
  stand = await openAdminStand({
    alsoHosts: () => ({ providers: {}, models: [guard(OWN, { pricings: FREE }), guard(UNPRICED, {})] }),
  });
});
afterAll(() => stand.close());

const ask = (body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  postJson(`${stand.chatUrl}/moderations`, body, headers);

/** 200 after exactly one upstream call; what the host got. */
async function judged(body: Json): Promise<{ readonly reply: Reply; readonly sent: Json; readonly flags: unknown[] }> {
  const before = stand.simulator.truth.read().length;
  const reply = await ask(body);
  expect({ status: reply.status, error: reply.json['error'] }).toEqual({ status: 200, error: undefined });
  const entries = stand.simulator.truth.read().slice(before);
  expect(entries).toHaveLength(1);
  const results = reply.json['results'] as readonly Json[];
  return { reply, sent: entries[0]?.body as Json, flags: results.map(({ flagged }) => flagged) };
}

async function refused(body: unknown, param: string): Promise<void> {
  const before = stand.simulator.truth.read().length;
  const reply = await ask(body);
  const error = reply.json['error'] as Json | undefined;
  expect({ body, status: reply.status, param: error?.['param'] }).toEqual({ body, status: 400, param });
  expect(stand.simulator.truth.read().length).toBe(before);
}

async function payer(account: string): Promise<Record<string, string>> {
  await stand.admin('POST', '/accounts', { id: account, name: account, kind: 'prepaid' });
  await stand.admin('POST', `/accounts/${account}/credits`, { usd: '0.000001' });
  const { json } = await stand.admin('POST', `/accounts/${account}/keys`, { name: 'k' });
  return { authorization: `Bearer ${String(json['secret'])}` };
}

test('[MO-01] both bases serve it, by POST only, and without a model it is the one that is free', async () => {
  for (const base of [stand.chatUrl, `${stand.url}/v1`]) {
    const reply = await postJson(`${base}/moderations`, { input: 'a walk' });
    expect({ base, status: reply.status, model: reply.json['model'] }).toEqual({ base, status: 200, model: OMNI });
  }
  for (const given of [{}, { model: null }, { model: OMNI }, { model: 'omni-moderation-2024-09-26' }])
    expect((await judged({ input: 'a walk', ...given })).sent['model']).toBe('omni-moderation-latest');
  expect((await fetch(`${stand.chatUrl}/moderations`)).status).toBe(405);
});

test('[MO-02] a text, texts and parts are passed on as they were written, and each is judged', async () => {
  const texts = ['a walk', 'plain violence', 'a talk'];
  for (const [input, flags] of [
    ['some violence', [true]],
    ['', [false]],
    [texts, [false, true, false]],
    [[{ type: 'text', text: 'hate' }, PICTURE], [true]],
  ] as const) {
    const { sent, flags: got } = await judged({ input });
    expect({ input: sent['input'], got }).toEqual({ input, got: flags });
  }
});

test('[MO-03] input is demanded in one of its forms, and refused by its place', async () => {
  for (const input of [undefined, null, 7, [], { text: 'x' }]) await refused({ input }, 'input');
  await refused({ input: ['one', 7] }, 'input[1]');
  await refused({ input: ['one', PICTURE] }, 'input[1]');
  await refused({ input: [PICTURE, { type: 'video' }] }, 'input[1]');
  await refused({ input: Array.from({ length: 2049 }, () => 'x') }, 'input');
  await refused({ input: 'x', model: 7 }, 'model');
});

test('[MO-04] the answer is the host’s own to the last digit, but for the name of the model', async () => {
  const { reply } = await judged({ input: 'hate' });
  expect(reply.text).toContain('0.9512345678901234');
  expect(reply.json['model']).toBe(OMNI);
  const [result] = reply.json['results'] as readonly Json[];
  expect(Object.keys(result ?? {})).toEqual([
    'flagged',
    'categories',
    'category_scores',
    'category_applied_input_types',
  ]);
});

test('[MO-05] an own model of the format is judged by its own host, and another model does not moderate', async () => {
  const { sent, reply } = await judged({ model: OWN, input: 'hate', threshold: 0.5 });
  expect(sent).toEqual({ model: 'guard', input: 'hate', threshold: 0.5 });
  expect(reply.json['model']).toBe(OWN);
  await refused({ model: 'openai/gpt-4o', input: 'x' }, 'model');
  const chat = { model: OMNI, messages: [{ role: 'user', content: 'hi' }] };
  expect((await postJson(`${stand.chatUrl}/chat/completions`, chat)).status).toBe(400);
});

test('[MO-06] free is a price of zero: the record has our count and costs nothing; no price is refused', async () => {
  const key = await payer('careful');
  const { status } = await ask({ input: 'twelve lines of harmless text' }, key);
  expect(status).toBe(200);
  const { bill, operation } = stand.records.at(-1) ?? {};
  expect(operation).toBe('moderate');
  expect(bill?.estimated).toBe(true);
  expect(bill?.cost).toMatchObject({ nanoUsd: 0n, unpriced: [] });
  expect(bill?.usage.prompt).toBeGreaterThan(0);
  const before = stand.simulator.truth.read().length;
  expect((await ask({ model: UNPRICED, input: 'x' }, key)).status).toBe(402);
  expect(stand.simulator.truth.read().length).toBe(before);
});

test('[MO-07] rights hold: keys, models, and the endpoint', async () => {
  expect((await ask({ input: 'x' }, { authorization: 'Bearer none' })).status).toBe(401);
  expect((await ask({ input: 'x' }, { authorization: `Bearer ${LIMITED_KEY}` })).status).toBe(403);
  await stand.admin('POST', '/accounts', { id: 'chatty', name: 'chatty', kind: 'unlimited' });
  const { json } = await stand.admin('POST', '/accounts/chatty/keys', { name: 'k', rights: { endpoints: ['text'] } });
  expect((await ask({ input: 'x' }, { authorization: `Bearer ${String(json['secret'])}` })).status).toBe(403);
});

test('[MO-08] a host that fails is asked again, and an answer without a result for each text is an error', async () => {
  stand.simulator.arm({ status: 503 });
  expect((await ask({ input: 'x' })).status).toBe(200);
  for (let call = 0; call < 4; call++) stand.simulator.arm({ fault: 'json-error-200' });
  expect((await ask({ input: 'x' })).status).toBe(502);
});
