// S1: bodies too large for the event loop are parsed on a worker thread, with the same result in every pair of protocols.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postJson, SMALL } from '../support/embed-probe.ts';
import { EVERY_PAIR, EVERY_ROAD } from '../support/every-road.ts';
import { responsesHosts } from '../support/responses-probe.ts';
import { type Json, post, type Road } from '../support/roads.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';

/** Enough values and characters that the body of no protocol is small. */
const TURNS = 9000;
const LIMIT_MS = 60_000;

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: responsesHosts });
});
afterAll(() => stand.close());

const turnsOf = (road: Road, count = TURNS): Json[] =>
  Array.from({ length: count }, (_, index) => road.user(`turn ${index} of a very long conversation`));

describe.each(EVERY_PAIR)('$pair', ({ road, model }) => {
  test.each([true, false])(
    'a large body is answered like a small one, streamed: %s',
    { timeout: LIMIT_MS },
    async (stream) => {
      const reply = await post(stand, road, model, road.body(model, turnsOf(road), { stream }), { stream });
      expect(reply.status, reply.text.slice(0, 300)).toBe(200);
      const few = await post(stand, road, model, road.body(model, turnsOf(road, 3), { stream }), { stream });
      const [large, same] = [reply, few].map(({ text }) => (stream ? road.parseStream(text) : road.parse(text)));
      expect(large?.finish).toBe(same?.finish);
      expect(large?.text).not.toBe('');
      expect(large?.inputTokens).toBeGreaterThan(TURNS);
    },
  );
});

describe.each(EVERY_ROAD)('$name', (road) => {
  test('the error for a bad value deep inside a large body names its path', { timeout: LIMIT_MS }, async () => {
    const model = 'openai/gpt-4o';
    const body = road.body(model, [...turnsOf(road), { role: 'nobody' }], {});
    const { status, text } = await post(stand, road, model, body);
    expect(status).toBe(400);
    expect(text).toContain(String(TURNS));
  });
});

test('tokens of a large body are counted', { timeout: LIMIT_MS }, async () => {
  const words = '漢字仮名交文'.repeat(800_000);
  const response = await fetch(`${stand.url}/api/anthropic/v1/messages/count_tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: 'anthropic/claude-sonnet-4-5', messages: [{ role: 'user', content: words }] }),
  });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ input_tokens: expect.closeTo(4_800_000, -2) });
});

test('a large answer reaches its caller completely', { timeout: LIMIT_MS }, async () => {
  const input = Array.from({ length: 100 }, (_, index) => `text ${index}`);
  const { status, json } = await postJson(`${stand.url}/api/v1/embeddings`, { model: SMALL, input });
  expect(status).toBe(200);
  const data = json['data'] as { embedding: number[] }[];
  expect(data.map(({ embedding }) => embedding.length)).toEqual(input.map(() => 1536));
  expect(json).toMatchObject({ model: SMALL, usage: { prompt_tokens: expect.any(Number) } });
});

test('a dry run plans a large body without making the call', { timeout: LIMIT_MS }, async () => {
  const model = 'anthropic/claude-sonnet-4-5';
  const messages = Array.from({ length: TURNS }, (_, index) => ({
    role: 'user',
    content: `turn ${index}, and some words`,
  }));
  const response = await fetch(`${stand.url}/api/v1/route`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages }),
  });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ model, plan: [{ lane: { kind: 'translated' }, refusal: null }] });
});
