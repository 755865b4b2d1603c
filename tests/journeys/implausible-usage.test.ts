// S6: implausible usage is not charged, in any dialect, whole or streamed; it is marked, counted and raised as an alert.

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';
import { type CannedUpstream, openCannedUpstream, plainAnswer } from '../support/canned-upstream.ts';
import { cannedWords } from '../support/canned-words.ts';
import { EVERY_PAIR, EVERY_ROAD, HOME } from '../support/every-road.ts';
import type { Destination, Json, Road } from '../support/roads.ts';
import { post } from '../support/roads.ts';
import { waitUntil } from '../support/wait-until.ts';

const LIE = 1_000_000;
const CAP = 50;
const usd = (value: string): object[] => [{ value, unit: 'perMTokens', currency: 'USD' }];
/** The price of the field report: a million tokens are 5,000 USD. */
const PRICES = { prompt: usd('1'), completion: usd('5000') };
const TOKEN_USD = 0.005;
const INPUT_USD = 0.001;
/** Enough frames of every dialect for the first word. */
const FIRST_FRAMES = 5;

const hostOf = (dialect: Destination['dialect']): string => `canned-${dialect}`;
const modelAt = (dialect: Destination['dialect']): string => `${hostOf(dialect)}/any`;
const thinkerAt = (dialect: Destination['dialect']): string => `${hostOf(dialect)}/thinker`;
const DIALECTS = ['openai-chat', 'anthropic-messages', 'google-generate', 'openai-responses'] as const;
const THINKING = { thinking: { kind: 'effort', canDisable: true, levels: ['low', 'high'] } };

let stand: AdminStand;
let canned: CannedUpstream;
let rich: string;

beforeAll(async () => {
  canned = await openCannedUpstream();
  stand = await openAdminStand({
    alsoHosts: () => ({
      providers: Object.fromEntries(
        DIALECTS.map((dialect) => [hostOf(dialect), { dialect, baseUrl: canned.url, credential: 'sk-canned' }]),
      ),
      models: DIALECTS.flatMap((dialect) => {
        const model = { contextLength: 128_000, maxOutputTokens: 16_384 };
        const endpoints = [{ provider: hostOf(dialect), upstreamModel: 'any', pricings: PRICES }];
        return [
          { id: modelAt(dialect), ...model, endpoints },
          { id: thinkerAt(dialect), ...model, capabilities: THINKING, endpoints },
        ];
      }),
    }),
  });
  rich = await prepaid('rich', '500');
});
afterAll(async () => {
  await stand.close();
  await canned.close();
});

async function prepaid(id: string, credit: string): Promise<string> {
  await stand.admin('POST', '/accounts', { id, name: id, kind: 'prepaid' });
  await stand.admin('POST', `/accounts/${id}/credits`, { usd: credit });
  return (await stand.admin('POST', `/accounts/${id}/keys`, { name: 'app' })).json['secret'] as string;
}

/** The output cap under the protocol's own name. */
const CAPS: Readonly<Record<Road['name'], (cap: number) => Json>> = {
  chat: (max_tokens) => ({ max_tokens }),
  messages: (max_tokens) => ({ max_tokens }),
  responses: (max_output_tokens) => ({ max_output_tokens }),
  genai: (maxOutputTokens) => ({ generationConfig: { maxOutputTokens } }),
};

const ask = (road: Road, model: string, stream: boolean, key = rich, cap = CAP, onHead?: () => void) =>
  post(
    stand,
    road,
    model,
    { ...road.body(model, [road.user('Hi')], { stream }), ...CAPS[road.name](cap) },
    { stream, key, ...(onHead !== undefined && { onHead }) },
  );

/** The record of the request that was just answered. */
async function billOf(before: number) {
  await waitUntil('the record', () => stand.records.length > before);
  const { bill, fault, chargedNanoUsd } = stand.records.at(-1)!;
  return { bill: bill!, fault, chargedUsd: Number(chargedNanoUsd) / 1e9 };
}

describe.each(EVERY_PAIR)('$pair', ({ road, dialect }) => {
  test.each([false, true])(
    'a report of a million tokens for 11 characters under a cap of 50 is not charged, streamed: %s',
    async (stream) => {
      canned.say(cannedWords(dialect, stream, { words: ['Hello', ' there'], output: LIE }));
      const before = stand.records.length;
      const reply = await ask(road, modelAt(dialect), stream);
      expect(reply.status).toBe(200);
      expect(stream ? road.parseStream(reply.text).text : road.parse(reply.text).text).toBe('Hello there');
      const { bill, chargedUsd } = await billOf(before);
      expect(bill).toMatchObject({
        usage: { completion: 33 },
        suspect: { why: ['output-cap', 'answer-length'], reported: { completion: LIE } },
      });
      expect(chargedUsd).toBeLessThanOrEqual(CAP * TOKEN_USD);
      if (!stream) expect(Number(reply.headers.get('x-trivium-cost'))).toBeCloseTo(chargedUsd, 9);
    },
  );

  test.each([false, true])(
    'implausible usage of a reasoning model is charged up to the cap, streamed: %s',
    async (stream) => {
      canned.say(cannedWords(dialect, stream, { words: ['Hello', ' there'], output: LIE }));
      const before = stand.records.length;
      expect((await ask(road, thinkerAt(dialect), stream)).status).toBe(200);
      expect((await billOf(before)).bill).toMatchObject({
        usage: { completion: CAP },
        suspect: { why: ['output-cap'] },
      });
    },
  );

  test.each([false, true])('plausible usage is charged as reported, streamed: %s', async (stream) => {
    canned.say(cannedWords(dialect, stream, { words: ['Hello', ' there'], output: 3 }));
    const before = stand.records.length;
    await ask(road, modelAt(dialect), stream);
    const { bill } = await billOf(before);
    expect(bill.usage).toMatchObject({ completion: 3 });
    expect(bill.suspect).toBeUndefined();
  });
});

describe.each(EVERY_ROAD)('floods to $name', (road) => {
  const dialect = HOME[road.name];

  /** The flood comes once the caller has the beginning of its stream. */
  async function flood(words: readonly string[]) {
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    canned.say({ ...cannedWords(dialect, true, { words }), pause: { after: FIRST_FRAMES, until: begun } });
    const before = stand.records.length;
    const reply = await ask(road, modelAt(dialect), true, rich, CAP, () => begin());
    return { reply, ...(await billOf(before)) };
  }

  test('a stream far beyond its cap is cut with the error of the protocol, and charged up to the cap', async () => {
    const { reply, bill, fault, chargedUsd } = await flood(Array.from({ length: 100 }, () => 'word '.repeat(200)));
    expect(reply).toMatchObject({ status: 200, complete: false });
    expect(reply.text).toContain('beyond the output limit of this request');
    expect(fault).toMatchObject({ kind: 'upstream-broken' });
    expect(bill).toMatchObject({ usage: { completion: CAP }, estimated: true, suspect: { why: ['output-cap'] } });
    expect(chargedUsd).toBeLessThanOrEqual(CAP * TOKEN_USD + INPUT_USD);
  });

  test('a stream above its cap only by the gateway’s estimate runs to its end', async () => {
    const { reply, bill, fault, chargedUsd } = await flood(Array.from({ length: 2000 }, () => 'a '));
    expect(reply).toMatchObject({ status: 200, complete: true });
    expect(reply.text.split('"a "').length).toBeGreaterThan(2000);
    expect(fault).toBeUndefined();
    expect(bill).toMatchObject({ usage: { completion: CAP }, estimated: true });
    expect(bill.suspect).toBeUndefined();
    expect(chargedUsd).toBeLessThanOrEqual(CAP * TOKEN_USD + INPUT_USD);
  });
});

test('S6 as reported: a prepaid account of 5 USD keeps nearly all of it, and the operator sees why', async () => {
  const key = await prepaid('poor', '5');
  canned.say(cannedWords('openai-chat', false, { words: ['Hello there'], output: LIE }));
  const [road] = EVERY_ROAD;
  const reply = await ask(road!, modelAt('openai-chat'), false, key);
  const { bill, chargedUsd } = await billOf(stand.records.length - 1);
  expect(chargedUsd).toBeCloseTo(33 * TOKEN_USD + 9e-6, 9);
  expect(reply.headers.get('x-trivium-cost')).toBe(String(chargedUsd));
  const credits = async () => (await stand.admin('GET', '/accounts/poor/credits')).json;
  await vi.waitFor(async () => expect(Number((await credits())['spentUsd'])).toBeCloseTo(chargedUsd, 9), 20_000);
  const id = String(reply.headers.get('x-request-id'));
  const row = await fetch(`${stand.chatUrl}/generation?id=${id}`, { headers: { authorization: `Bearer ${key}` } });
  expect(((await row.json()) as Json)['data']).toMatchObject({
    usage: bill.usage,
    suspect: { why: ['output-cap', 'answer-length'], reported: { prompt: 9, completion: LIE } },
  });
  const metrics = await (await fetch(`${stand.gateway.adminUrl}/metrics`)).text();
  const series = /^trivium_suspect_usage_total\{provider="canned-openai-chat",why="output-cap"\} (\d+)$/m.exec(metrics);
  expect(Number(series?.[1])).toBeGreaterThan(0);
});

test('input beyond the context window, and far beyond our own count, is not charged', async () => {
  canned.say(cannedWords('openai-chat', false, { words: ['Hello'], input: 50_000_000, output: 2 }));
  const before = stand.records.length;
  await ask(EVERY_ROAD[0]!, modelAt('openai-chat'), false);
  expect((await billOf(before)).bill).toMatchObject({
    // Eight times our count of the request.
    usage: { prompt: 72, completion: 2 },
    suspect: { why: ['context-window', 'input-length'] },
  });
});

test('the cost in the answer equals the charge', async () => {
  const answer = {
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello there' }, finish_reason: 'stop' }],
  };
  const usage = { prompt_tokens: 9, completion_tokens: LIE, total_tokens: LIE + 9 };
  canned.say(plainAnswer({ id: 'c', object: 'chat.completion', created: 1, model: 'any', ...answer, usage }));
  const body = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: CAP, usage: { include: true } };
  const reply = await stand.chat(rich, { model: modelAt('openai-chat'), ...body });
  expect((reply.json['usage'] as Json)['cost']).toBe(Number(reply.headers.get('x-trivium-cost')));
});
