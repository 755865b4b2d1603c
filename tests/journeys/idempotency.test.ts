// One Idempotency-Key makes one call: repeated requests get the first answer, in every protocol, streamed or whole.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { headOf, openChat } from '../support/chat-stream.ts';
import { BEARER, call, errorMessage, PROTOCOL_CALLS } from '../support/every-protocol.ts';
import { waitUntilIdle } from '../support/idle.ts';
import { KEY, openStand, postChat, type Stand } from '../support/stand.ts';
import { waitUntil } from '../support/wait-until.ts';

const MODEL = 'openai/gpt-4o';
const REPLAYED = 'x-trivium-replayed';
const OTHERS_KEY = 'sk-trivium-others-0123456789abcdefghijklmnopqrstuv';

/** Keys of the same account as `KEY`, each with fewer rights. */
const ONE_MODEL_KEY = 'sk-trivium-onemodel-0123456789abcdefghijklmnopqrst';
const ONE_HOST_KEY = 'sk-trivium-onehost-0123456789abcdefghijklmnopqrstu';

let stand: Stand;
let keys = 0;
const withKey = (key: string): Record<string, string> => ({ 'idempotency-key': key });
const newKey = (): string => `key-${keys++}`;
const says = (content: string, more: object = {}): object => ({
  model: MODEL,
  messages: [{ role: 'user', content }],
  ...more,
});
const upstreamCalls = (): number => stand.simulator.truth.read().length;

beforeAll(async () => {
  stand = await openStand({
    config: () => ({
      idempotency: { maxAnswerBytes: 20_000 },
      keys: [
        { name: 'test', secret: KEY },
        { name: 'one-model', secret: ONE_MODEL_KEY, account: 'default', models: ['openai/gpt-4o-mini'] },
        { name: 'one-host', secret: ONE_HOST_KEY, account: 'default', providers: ['anthropic'] },
        { name: 'others', secret: OTHERS_KEY, account: 'others' },
      ],
    }),
  });
});
afterAll(() => stand.close());
beforeEach(() => {
  stand.simulator.truth.clear();
  stand.records.length = 0;
});

describe.each(PROTOCOL_CALLS)('$name', (protocol) => {
  test('a repeated request gets the same answer, from one upstream call', async () => {
    const headers = { ...BEARER, ...withKey(newKey()) };
    const first = await call(stand, protocol, MODEL, undefined, headers);
    const second = await call(stand, protocol, MODEL, undefined, headers);
    expect(first.status).toBe(200);
    expect(second).toMatchObject({ status: 200, json: first.json });
    expect(second.headers.get('x-request-id')).toBe(first.headers.get('x-request-id'));
    expect([first.headers.get(REPLAYED), second.headers.get(REPLAYED)]).toEqual([null, 'true']);
    expect(upstreamCalls()).toBe(1);
    await waitUntil('the one record', () => stand.records.length === 1);
  });

  test('another body under the same key is refused with 422', async () => {
    const headers = { ...BEARER, ...withKey(newKey()) };
    await call(stand, protocol, MODEL, undefined, headers);
    const other = await call(stand, protocol, MODEL, protocol.body(MODEL, 'Good morning'), headers);
    expect(other.status).toBe(422);
    expect(errorMessage(other)).toContain('Idempotency-Key');
    expect(upstreamCalls()).toBe(1);
  });
});

test('a stream is repeated byte for byte', async () => {
  const key = withKey(newKey());
  const first = await postChat(stand, says('Hello', { stream: true }), key);
  const second = await postChat(stand, says('Hello', { stream: true }), key);
  expect(first.text).toContain('[DONE]');
  expect(second.text).toBe(first.text);
  expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
  expect(upstreamCalls()).toBe(1);
});

test('fifty concurrent requests with one key make one upstream call', async () => {
  const key = withKey(newKey());
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => postChat(stand, says('Hello @simulate ttft=100', { stream: true }), key)),
  );
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  expect(replies.filter(({ headers }) => headers.get(REPLAYED) === null)).toHaveLength(1);
  expect(upstreamCalls()).toBe(1);
  await waitUntilIdle(stand);
});

test('a caller who disconnected gets the whole answer when it retries', async () => {
  const key = withKey(newKey());
  const body = says('Hello @simulate scenario=text-long words=60 tps=200', { stream: true });
  const sent = openChat(stand, body, key);
  sent.on('error', () => undefined);
  const response = await headOf(sent);
  response.on('error', () => undefined);
  await new Promise((resolve) => response.once('data', resolve));
  sent.destroy();
  const again = await postChat(stand, body, key);
  expect(again.text).toContain('[DONE]');
  expect(again.headers.get(REPLAYED)).toBe('true');
  expect(stand.simulator.truth.read()).toMatchObject([{ outcome: 'finished' }]);
});

test('a failure before the answer began leaves the key free', async () => {
  const key = withKey(newKey());
  stand.simulator.arm('status=503', { times: 3 });
  const failed = await postChat(stand, says('Hello'), key);
  const retried = await postChat(stand, says('Hello'), key);
  expect([failed.status, retried.status]).toEqual([503, 200]);
  expect(retried.headers.get(REPLAYED)).toBeNull();
});

test('a broken stream is replayed as far as it came, because that much was charged', async () => {
  const key = withKey(newKey());
  const body = says('Hello @simulate scenario=text-long fault=reset-mid-stream after=5', { stream: true });
  const outcomes = await Promise.allSettled([postChat(stand, body, key), postChat(stand, body, key)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(upstreamCalls()).toBe(1);
});

test('an answer too long to store is not replayed: a repeat is refused with the id of the first request', async () => {
  const key = withKey(newKey());
  const body = says('Hello @simulate scenario=text-long words=6000');
  const first = await postChat(stand, body, key);
  const second = await postChat(stand, body, key);
  expect(first.status).toBe(200);
  expect(first.text.length).toBeGreaterThan(20_000);
  expect(second.status).toBe(422);
  expect(errorMessage({ ...second, json: second.json })).toContain(first.headers.get('x-request-id'));
  expect(upstreamCalls()).toBe(1);
});

test('the same key of another account is a different key', async () => {
  const key = withKey(newKey());
  await postChat(stand, says('Hello'), key);
  const other = await postChat(stand, says('Hello'), { ...key, authorization: `Bearer ${OTHERS_KEY}` });
  expect(other.headers.get(REPLAYED)).toBeNull();
  expect(upstreamCalls()).toBe(2);
});

describe('S9: a stored answer is replayed only to keys that could make the call', () => {
  const as = (secret: string): Record<string, string> => ({ authorization: `Bearer ${secret}` });

  test.each([
    ['another model', ONE_MODEL_KEY],
    ['another host', ONE_HOST_KEY],
  ])('an API key limited to %s gets 403, and nothing of the stored answer', async (_, secret) => {
    for (const stream of [false, true]) {
      const key = withKey(newKey());
      const first = await postChat(stand, says('Hello', { stream }), key);
      const other = await postChat(stand, says('Hello', { stream }), { ...key, ...as(secret) });
      expect([first.status, other.status]).toEqual([200, 403]);
      expect(other.headers.get(REPLAYED)).toBeNull();
      const again = await postChat(stand, says('Hello', { stream }), key);
      expect(again.text).toBe(first.text);
    }
  });

  test('the model that answered counts for replay permission, not the listed ones', async () => {
    const preferences = { 'x-trivium-models': `${MODEL}, openai/gpt-4o-mini` };
    const key = { ...preferences, ...withKey(newKey()) };
    const first = await postChat(stand, says('Hello'), key);
    const other = await postChat(stand, says('Hello'), { ...key, ...as(ONE_MODEL_KEY) });
    expect([first.status, other.status]).toEqual([200, 403]);
    const own = { ...preferences, ...withKey(newKey()) };
    const mini = await postChat(stand, says('Hello'), { ...own, ...as(ONE_MODEL_KEY) });
    const shared = await postChat(stand, says('Hello'), own);
    expect([mini.status, shared.status]).toEqual([200, 200]);
    expect(shared.text).toBe(mini.text);
    expect(shared.headers.get(REPLAYED)).toBe('true');
  });
});

test.each([
  ['empty', ''],
  ['too long', 'k'.repeat(256)],
])('an Idempotency-Key that is %s is refused', async (_, key) => {
  const reply = await postChat(stand, says('Hello'), withKey(key));
  expect(reply.status).toBe(400);
  expect(upstreamCalls()).toBe(0);
});
