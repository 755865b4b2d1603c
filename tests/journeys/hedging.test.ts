// Hedging: a caller who asks for it does not wait for a host that is slow for once, and pays for one answer.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { streamChat } from '../support/chat-stream.ts';
import { heal, hostsAsked } from '../support/failing-hosts.ts';
import { waitUntilIdle } from '../support/idle.ts';
import { KEY, openStand, type Stand, UPSTREAM_SECRET } from '../support/stand.ts';
import { waitUntil } from '../support/wait-until.ts';

const MODEL = 'hedged/model';
const HEDGING_KEY = 'sk-trivium-hedging-0123456789abcdefghijklmnopqrstu';
const HEDGE = { 'x-trivium-hedge': 'true', 'x-trivium-strategy': 'priority' };
const FOREVER = 'scenario=text-long words=3 ttft=200000';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({
    alsoHosts: (simulatorUrl) => ({
      providers: Object.fromEntries(
        ['one', 'two'].map((host) => [
          host,
          { dialect: 'openai-chat', baseUrl: `${simulatorUrl}/compatible@${host}/v1`, credential: UPSTREAM_SECRET },
        ]),
      ),
      models: [{ id: MODEL, endpoints: ['one', 'two'].map((provider) => ({ provider, upstreamModel: 'any' })) }],
    }),
    config: () => ({
      hedging: { maxPercent: 100 },
      keys: [
        { name: 'test', secret: KEY },
        { name: 'hedging', secret: HEDGING_KEY, hedge: true },
      ],
    }),
  });
  // Enough streams for the latency statistics.
  for (let call = 0; call < 20; call++)
    expect((await stream({ 'x-trivium-strategy': 'priority' })).complete).toBe(true);
});
afterEach(async () => {
  await heal(stand);
  await waitUntilIdle(stand);
});
afterAll(() => stand.close());

const stream = (headers: Record<string, string>, words = '@simulate scenario=text-long words=3') =>
  streamChat(stand, { model: MODEL, messages: [{ role: 'user', content: words }] }, headers);
const armOne = (instruction: string): void => {
  stand.simulator.truth.clear();
  stand.simulator.arm(instruction, { host: 'one' });
};
const lastRecord = async (id: unknown) => {
  await waitUntil('the record', () => stand.records.at(-1)?.requestId === id);
  return stand.records.at(-1)!;
};

test('a late stream is hedged at another host, and the losing attempt is the operator’s cost', async () => {
  armOne(FOREVER);
  const reply = await stream(HEDGE);
  expect(reply.text).toContain('word3');
  expect(reply.headers['x-trivium-provider']).toBe('two');
  const record = await lastRecord(reply.headers['x-request-id']);
  expect(record).toMatchObject({ how: 'done', provider: 'two' });
  expect(record.attempts).toMatchObject([
    { provider: 'one', hedge: 'lost', fault: 'cancelled' },
    { provider: 'two', hedge: 'won' },
  ]);
  const [loser] = stand.simulator.truth.read();
  await waitUntil('the loser is stopped', () => loser?.outcome === 'aborted');
  expect(record.attempts[0]?.operatorCost?.usage).toMatchObject({ prompt: expect.any(Number) });
  expect(record.attempts[0]?.operatorCost?.usage.completion ?? 0).toBe(loser?.tokensProduced);
  // The caller's own usage is that of one answer.
  expect(record.reading?.usage.completion ?? 3).toBe(3);
});

test('hedging can be enabled by a key and disabled by a header', async () => {
  armOne(FOREVER);
  const byKey = { authorization: `Bearer ${HEDGING_KEY}`, 'x-trivium-strategy': 'priority' };
  expect((await stream(byKey)).headers['x-trivium-provider']).toBe('two');
  armOne('scenario=text-long words=3 ttft=400');
  const declined = await stream({ ...byKey, 'x-trivium-hedge': 'false' });
  expect(declined.headers['x-trivium-provider']).toBe('one');
  expect(hostsAsked(stand)).toEqual(['one']);
});

test('there is no hedging when fallback is false', async () => {
  armOne('scenario=text-long words=3 ttft=400');
  const reply = await stream({ ...HEDGE, 'x-trivium-fallback': 'false' });
  expect(reply.headers['x-trivium-provider']).toBe('one');
  expect(hostsAsked(stand)).toEqual(['one']);
});

test('the first host still answers when the hedge at the second host fails', async () => {
  armOne('scenario=text-long words=3 ttft=2000');
  stand.simulator.arm('status=500', { host: 'two' });
  const reply = await stream(HEDGE);
  expect(reply.text).toContain('word3');
  const record = await lastRecord(reply.headers['x-request-id']);
  expect(record.attempts).toMatchObject([{ provider: 'two', fault: 'upstream-broken' }, { provider: 'one' }]);
});

test('a caller who disconnects stops both hedged attempts', async () => {
  stand.simulator.truth.clear();
  for (const host of ['one', 'two']) stand.simulator.arm(FOREVER, { host });
  const leaving = new AbortController();
  const left = fetch(`${stand.chatUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${HEDGING_KEY}` },
    body: JSON.stringify({ model: MODEL, stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
    signal: leaving.signal,
  }).catch(() => 'left');
  await waitUntil('both are asked', () => stand.gateway.gauges.upstreamExchanges === 2);
  leaving.abort();
  expect(await left).toBe('left');
  await waitUntil('both are stopped', () => stand.gateway.gauges.upstreamExchanges === 0);
});
