// A prompt that a host holds in its cache goes back to that host, in every protocol, unless another is cheaper by more
// than the cache saves.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BEARER, call, type Json, PROTOCOL_CALLS, type ProtocolCall } from '../support/every-protocol.ts';
import { openStand, type Stand, UPSTREAM_SECRET } from '../support/stand.ts';
import { askedBy } from '../support/three-hosts.ts';

/** Automatic caching; caching of marked prompts; much cheaper at the first host; no caching. */
const AUTO = 'cached/auto';
const EXPLICIT = 'cached/explicit';
const CHEAP_FIRST = 'cached/cheap-first';
const NEVER = 'cached/never';

const usd = (value: string): object[] => [{ value, unit: 'perMTokens', currency: 'USD' }];
const pricings = (prompt: string, cached: string, completion: string): object => ({
  prompt: usd(prompt),
  input_cache_read: usd(cached),
  completion: usd(completion),
});
const DEAR = pricings('10', '1', '10');
const model = (id: string, promptCache: string, first: object, second = DEAR): object => ({
  id,
  contextLength: 128_000,
  maxOutputTokens: 16_384,
  capabilities: { promptCache },
  endpoints: [
    { provider: 'first', pricings: first },
    { provider: 'second', pricings: second },
  ],
});

let stand: Stand;
beforeEach(async () => {
  stand = await openStand({
    alsoHosts: (url) => ({
      providers: Object.fromEntries(
        ['first', 'second'].map((host) => [
          host,
          { dialect: 'openai-chat', baseUrl: `${url}/compatible@${host}/v1`, credential: UPSTREAM_SECRET },
        ]),
      ),
      models: [
        model(AUTO, 'auto', pricings('5', '1', '5')),
        model(EXPLICIT, 'explicit', DEAR),
        model(CHEAP_FIRST, 'auto', pricings('1', '1', '1')),
        model(NEVER, 'none', DEAR),
      ],
    }),
  });
});
afterEach(() => stand.close());

const LONG = 'All that was said before. '.repeat(200);

async function host(protocol: ProtocolCall, name: string, body: Json, headers: Json = {}): Promise<string> {
  const [reply, asked] = await askedBy(stand, () => call(stand, protocol, name, body, { ...BEARER, ...headers }));
  expect(reply.status).toBe(200);
  return asked.map((one) => one.host).join(' ');
}

/** The first host fails once, so that the second gets the prompt. */
async function moveToSecond(protocol: ProtocolCall, name: string, body: Json): Promise<void> {
  stand.simulator.arm('status=500', { host: 'first', times: 1 });
  expect(await host(protocol, name, body)).toBe('first second');
}

describe.each(PROTOCOL_CALLS)('$name', (protocol: ProtocolCall) => {
  test('a long prompt returns to the host that has it in its cache, others do not', async () => {
    await moveToSecond(protocol, AUTO, protocol.body(AUTO, `${LONG} One?`));
    expect(await host(protocol, AUTO, protocol.body(AUTO, `${LONG} Two?`))).toBe('second');
    expect(await host(protocol, AUTO, protocol.body(AUTO, `Else. ${LONG} Two?`))).toBe('first');
    expect(await host(protocol, AUTO, protocol.body(AUTO, 'Short?'))).toBe('first');
  });

  test.each([EXPLICIT, NEVER])('%s: without caching a prompt does not return to its last host', async (name) => {
    await moveToSecond(protocol, name, protocol.body(name, `${LONG} One?`));
    expect(await host(protocol, name, protocol.body(name, `${LONG} Two?`))).toBe('first');
  });

  test('a price difference larger than the cache saving overrides cache affinity', async () => {
    await moveToSecond(protocol, CHEAP_FIRST, protocol.body(CHEAP_FIRST, `${LONG} One?`));
    expect(await host(protocol, CHEAP_FIRST, protocol.body(CHEAP_FIRST, `${LONG} Two?`))).toBe('first');
  });

  test('an explicit order overrides cache affinity', async () => {
    const preference = { 'x-trivium-strategy': 'priority' };
    await moveToSecond(protocol, AUTO, protocol.body(AUTO, `${LONG} One?`));
    expect(await host(protocol, AUTO, protocol.body(AUTO, `${LONG} Two?`), preference)).toBe('first');
    expect(await host(protocol, AUTO, protocol.body(AUTO, `${LONG} Two?`))).toBe('first');
  });
});

describe('hints', () => {
  const [chat, responses, messages] = PROTOCOL_CALLS;
  const marked = (ttl?: string): Json => ({
    type: 'text',
    text: LONG.slice(0, 2000),
    cache_control: { type: 'ephemeral', ...(ttl !== undefined && { ttl }) },
  });
  const question = (text: string): Json => ({ type: 'text', text });

  test.each([undefined, '1h'])('a marked messages prompt returns to its host, ttl %s', async (ttl) => {
    const body = (text: string) => messages.body(EXPLICIT, text, { system: [marked(ttl)] });
    await moveToSecond(messages, EXPLICIT, body('One?'));
    expect(await host(messages, EXPLICIT, body('Two?'))).toBe('second');
    expect(await host(messages, EXPLICIT, messages.body(EXPLICIT, 'Two?'))).toBe('first');
  });

  test('a marked chat prompt returns to its host', async () => {
    const body = (text: string) =>
      chat.body(EXPLICIT, '', { messages: [{ role: 'user', content: [marked(), question(text)] }] });
    await moveToSecond(chat, EXPLICIT, body('One?'));
    expect(await host(chat, EXPLICIT, body('Two?'))).toBe('second');
  });

  test.each([chat, responses])(
    '$name: prompts with one cache key return to one host, however short',
    async (protocol) => {
      const body = (text: string, prompt_cache_key: string) => protocol.body(EXPLICIT, text, { prompt_cache_key });
      await moveToSecond(protocol, EXPLICIT, body('One?', 'k1'));
      expect(await host(protocol, EXPLICIT, body('Something else?', 'k1'))).toBe('second');
      expect(await host(protocol, EXPLICIT, body('One?', 'k2'))).toBe('first');
    },
  );
});
