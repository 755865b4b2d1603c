// Models of many makers behind one converse host: callers of every protocol, the catalogue's rows, faults and bills.
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chatRoad } from '../support/chat-road.ts';
import { CONVERSE_CREDENTIAL } from '../support/converse-host.ts';
import { EVERY_ROAD } from '../support/every-road.ts';
import { messagesRoad } from '../support/messages-road.ts';
import { converse, post } from '../support/roads.ts';
import { KEY, openStand, postChat, type Stand } from '../support/stand.ts';

const CATALOGUE = new URL('../../packages/gateway/catalogue/', import.meta.url);
type Row = { readonly id: string; readonly retired?: boolean; readonly endpoints: readonly { dialect: string }[] };
const ROWS = readdirSync(CATALOGUE)
  .filter((name) => name.endsWith('.json'))
  .flatMap((name) => (JSON.parse(readFileSync(new URL(name, CATALOGUE), 'utf8')) as { models: Row[] }).models)
  .filter(
    ({ retired, endpoints }) => retired !== true && endpoints.some(({ dialect }) => dialect === 'amazon-converse'),
  )
  .map(({ id }) => id);

const price = (value: string) => [{ value, unit: 'perMTokens', currency: 'USD' }];
const PRICED = 'amazon/priced';
const CLAUDE = 'anthropic/claude-by-converse';
const PROFILE = 'arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.amazon.nova-pro-v1:0';

const own = (id: string, upstreamModel: string, capabilities: object, pricings: object = {}) => ({
  id,
  contextLength: 200_000,
  maxOutputTokens: 16_000,
  inputModalities: ['text', 'image', 'file'],
  capabilities: { tools: true, structuredOutput: true, temperature: true, ...capabilities },
  endpoints: [{ provider: 'amazon-bedrock', dialect: 'amazon-converse', upstreamModel, pricings }],
});

const config = (credential: string) => (url: string) => ({
  providers: {
    'amazon-bedrock': { credential, baseUrl: `${url}/bedrock`, variables: { region: 'eu-central-1' } },
  },
  models: [
    own(CLAUDE, 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0', {
      promptCache: 'explicit',
      thinking: { kind: 'budget', canDisable: true, min: 1024, max: 16_000 },
    }),
    own(
      PRICED,
      PROFILE,
      { promptCache: 'explicit', thinking: { kind: 'none' } },
      {
        prompt: price('3'),
        completion: price('15'),
        input_cache_read: price('0.3'),
        input_cache_write_5_min: price('3.75'),
        input_cache_write_1_h: price('6'),
      },
    ),
  ],
});

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ config: config(CONVERSE_CREDENTIAL) });
});
afterAll(() => stand.close());

const lastSent = () => {
  const entry = stand.simulator.truth.last();
  return {
    path: entry?.path,
    headers: entry?.headers,
    body: JSON.parse(entry?.bodyText ?? '{}') as Record<string, never>,
  };
};

test('the catalogue has rows of this format', () => expect(ROWS.length).toBeGreaterThanOrEqual(20));

describe.each(EVERY_ROAD)('by $name', (road) => {
  test.each(ROWS)('%s answers, plain and streamed', async (model) => {
    const texts: string[] = [];
    for (const stream of [false, true]) {
      const answer = await converse(stand, road, model, [road.user('Look around.')], { stream });
      expect(answer.outputTokens).toBeGreaterThan(0);
      texts.push(answer.text);
    }
    expect(texts[0]).not.toBe('');
    expect(texts[1]).toBe(texts[0]);
    expect(stand.simulator.truth.last()?.refusal).toBeUndefined();
  });

  test.each([CLAUDE, PRICED])('tools and their results go to %s and back, plain and streamed', async (model) => {
    const question = road.user('Look around. @simulate scenario=tools-parallel');
    for (const stream of [false, true]) {
      const calling = await converse(stand, road, model, [question], { tools: ['weather', 'clock'], stream });
      expect(calling.calls.map(({ name }) => name)).toEqual(['weather', 'clock', 'weather']);
      const turns = [question, calling.turn, ...road.results(calling.calls, ['21 degrees', 'noon', 'rain'])];
      const answer = await converse(stand, road, model, turns, { tools: ['weather', 'clock'], stream });
      expect(answer.text).toContain('21 degrees');
    }
  });

  test('signed reasoning returns byte for byte, over three turns', async () => {
    const question = road.user('Think. @simulate scenario=reasoning-tools');
    for (const stream of [false, true]) {
      let turns = [question];
      for (const round of [1, 2, 3]) {
        const calling = await converse(stand, road, CLAUDE, turns, {
          tools: ['weather', 'clock'],
          thinking: true,
          stream,
        });
        expect(stand.simulator.truth.last()?.refusal, `round ${round}`).toBeUndefined();
        if (round === 3) break;
        const { calls, turn } = calling;
        turns = [...turns, turn, ...(calls.length > 0 ? road.results(calls, ['one', 'two']) : [question])];
      }
    }
    // Chat has no field for a signature; the memory of seals puts it back.
    expect(JSON.stringify(lastSent().body)).toContain('"signature"');
  });
});

describe('what the host receives', () => {
  test('its paths, a profile as one segment, a signature, and events asked for as they are', async () => {
    for (const stream of [false, true]) {
      await converse(stand, chatRoad, PRICED, [chatRoad.user('Hello')], { stream });
      const { path, headers } = lastSent();
      expect(path).toBe(`/model/${encodeURIComponent(PROFILE)}/converse${stream ? '-stream' : ''}`);
      expect(headers?.['accept-encoding']).toBe('identity');
      expect(headers?.authorization).toMatch(/^AWS4-HMAC-SHA256 .*\/eu-central-1\/bedrock\//);
    }
  });

  test('a bearer key as it is, where the credential is one', async () => {
    const key = 'ABSKQmVkcm9ja0FQSUtleS1hdC0wMTIzNDU2Nzg5MDE=';
    const withKey = await openStand({ config: config(key) });
    try {
      for (const stream of [false, true]) {
        const answer = await converse(withKey, messagesRoad, CLAUDE, [messagesRoad.user('Hello')], { stream });
        expect(answer.text).not.toBe('');
        const { headers, refusal } = withKey.simulator.truth.last() ?? {};
        expect(refusal).toBeUndefined();
        expect(headers?.authorization).toBe(`Bearer ${key}`);
        expect(Object.keys(headers ?? {}).filter((name) => name.startsWith('x-amz-'))).toEqual([]);
      }
    } finally {
      await withKey.close();
    }
  });

  test('a model counts for those who ask, where it can; elsewhere the gateway estimates', async () => {
    const count = async (model: string) => {
      const reply = await fetch(`${stand.url}/v1/messages/count_tokens`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-api-key': KEY },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello there' }] }),
      });
      return { path: lastSent().path, tokens: ((await reply.json()) as { input_tokens: number }).input_tokens };
    };
    const claude = await count(CLAUDE);
    expect(claude.path).toMatch(/\/count-tokens$/);
    expect(claude.tokens).toBeGreaterThan(0);
    const asked = stand.simulator.truth.read().length;
    expect((await count(PRICED)).tokens).toBeGreaterThan(0);
    expect(stand.simulator.truth.read().length).toBe(asked);
  });
});

test('a bill with reads and writes of both lives is the sum by hand', async () => {
  for (const stream of [false, true]) {
    const question = messagesRoad.user('Hello @simulate scenario=cache-writes');
    const before = stand.records.length;
    await converse(stand, messagesRoad, PRICED, [question], { stream });
    await expect.poll(() => stand.records.length).toBe(before + 1);
    const bill = stand.records.at(-1)?.bill;
    expect(bill?.usage).toEqual({
      prompt: 30,
      inputCacheRead: 40,
      inputCacheWrite5Min: 20,
      inputCacheWrite1H: 10,
      completion: 20,
    });
    // 30 × 3 + 40 × 0.3 + 20 × 3.75 + 10 × 6 + 20 × 15 dollars for a million tokens, in nano-dollars.
    expect(bill?.cost.nanoUsd).toBe(537_000n);
  }
});

describe('faults', () => {
  test.each([
    ['status=400 code=context_length_exceeded', 400, 'context_length_exceeded'],
    ['status=400 code=insufficient_quota', 429, 'rate_limit_exceeded'],
    ['status=403', 502, 'upstream_error'],
    ['status=404', 502, 'upstream_error'],
    ['status=408', 504, 'timeout'],
    ['status=424', 502, 'upstream_error'],
    ['status=429', 429, 'rate_limit_exceeded'],
    ['status=429 code=not_ready', 503, 'overloaded'],
    ['status=500', 502, 'upstream_error'],
    ['status=503', 503, 'overloaded'],
    ['fault=html-200', 502, 'upstream_error'],
  ])('%s', async (instruction, status, code) => {
    stand.simulator.arm(instruction);
    const reply = await postChat(stand, { model: PRICED, messages: [{ role: 'user', content: 'Hello' }] });
    expect([reply.status, (reply.json['error'] as Record<string, unknown>)['code']]).toEqual([status, code]);
  });

  test.each([
    'end-mid-stream',
    'bad-checksum',
    'error-frame-mid',
    'malformed-frame',
    'no-done',
    'no-finish',
    'reset-mid-stream',
  ])('a stream with %s ends in an error, not as an answer', async (fault) => {
    const question = chatRoad.user(`Hello @simulate scenario=text-long words=9 fault=${fault} after=3`);
    const { text } = await post(stand, chatRoad, PRICED, chatRoad.body(PRICED, [question], { stream: true }), {
      stream: true,
    });
    expect(text).not.toContain('[DONE]');
    expect(text).not.toContain('"finish_reason":"stop"');
  });
});
