// Which model serves a call that lists several, or asks for `trivium/auto`: chosen by the caller's task headers, in every
// protocol, or by features of the call.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Answered,
  BEARER,
  call,
  errorMessage,
  PROTOCOL_CALLS,
  type ProtocolCall,
} from '../support/every-protocol.ts';
import { KEY, LIMITED_KEY, openStand, type Stand, UPSTREAM_SECRET } from '../support/stand.ts';
import { askedBy } from '../support/three-hosts.ts';

const AUTO = 'trivium/auto';
const SMALL = 'family/small';
const MIDDLE = 'family/middle';
const LARGE = 'family/large';
const ALL = [LARGE, SMALL, MIDDLE].join();

const usd = (value: string): object[] => [{ value, unit: 'perMTokens', currency: 'USD' }];
const model = (id: string, prompt: string, completion: string, capabilities: object = {}): object => ({
  id,
  contextLength: 128_000,
  maxOutputTokens: 16_384,
  capabilities,
  endpoints: [
    { provider: 'family', upstreamModel: id.slice(7), pricings: { prompt: usd(prompt), completion: usd(completion) } },
  ],
});
const THINKS = { thinking: { kind: 'effort', levels: ['low', 'medium', 'high'] } };

const family = (simulatorUrl: string) => ({
  providers: {
    family: { dialect: 'openai-chat', baseUrl: `${simulatorUrl}/compatible@family/v1`, credential: UPSTREAM_SECRET },
  },
  // The small model is the cheapest for chats, the middle one for completions.
  models: [model(SMALL, '1', '30'), model(MIDDLE, '10', '12'), model(LARGE, '20', '60', THINKS)],
});

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: family, config: () => ({ auto: { models: [MIDDLE, LARGE, SMALL] } }) });
});
afterAll(() => stand.close());

type Headers = Readonly<Record<string, string>>;

async function served(
  protocol: ProtocolCall,
  name: string,
  headers: Headers,
  body: unknown = protocol.body(name),
): Promise<[reply: Answered, models: string]> {
  const [reply, asked] = await askedBy(stand, () => call(stand, protocol, name, body, { ...BEARER, ...headers }));
  return [reply, asked.map((one) => one.model).join(' ')];
}

describe.each(PROTOCOL_CALLS)('$name', (protocol: ProtocolCall) => {
  test.each<[Headers, string]>([
    [{ 'x-trivium-complexity': 'low' }, 'small'],
    [{ 'x-trivium-complexity': 'medium' }, 'middle'],
    [{ 'x-trivium-complexity': 'high' }, 'large'],
    [{ 'x-trivium-complexity': 'low', 'x-trivium-task-type': 'completion' }, 'middle'],
    [{ 'x-trivium-complexity': 'low', 'x-trivium-task-type': 'embedding' }, 'small'],
    [{ 'x-trivium-complexity': 'low', 'x-trivium-preference': LARGE }, 'large'],
    [{}, 'middle'],
  ])('%j with three listed models is served by %s', async (headers, expected) => {
    const [reply, models] = await served(protocol, MIDDLE, { 'x-trivium-models': ALL, ...headers });
    expect([reply.status, models]).toEqual([200, expected]);
  });

  test.each<[string, object, string]>([
    ['a short question', {}, 'small'],
    [
      'a long one',
      protocol.name === 'genai'
        ? { contents: [{ role: 'user', parts: [{ text: 'word '.repeat(2000) }] }] }
        : { [protocol.name === 'responses' ? 'input' : 'messages']: longTalk(protocol) },
      'middle',
    ],
  ])('%s to trivium/auto is served by the expected model', async (_case, more, expected) => {
    const [reply, models] = await served(protocol, AUTO, {}, { ...protocol.body(AUTO), ...more });
    expect([reply.status, models]).toEqual([200, expected]);
  });

  test('task headers apply to trivium/auto, too', async () => {
    const [reply, models] = await served(protocol, AUTO, { 'x-trivium-complexity': 'high' });
    expect([reply.status, models]).toEqual([200, 'large']);
    const [listed, only] = await served(protocol, AUTO, { 'x-trivium-models': `${LARGE},${MIDDLE}` });
    expect([listed.status, only]).toEqual([200, 'large']);
  });

  test('trivium/auto fails over to another of its models', async () => {
    stand.simulator.arm('status=500', { model: 'small', times: 1 });
    const [reply, models] = await served(protocol, AUTO, {});
    expect([reply.status, models]).toEqual([200, 'small middle']);
  });

  test.each([
    ['x-trivium-complexity', 'huge'],
    ['x-trivium-task-type', 'song'],
    ['x-trivium-preference', 'family/none'],
  ])('%s: %s is refused naming the header', async (header, value) => {
    const [reply, models] = await served(protocol, AUTO, { [header]: value });
    expect([reply.status, models]).toEqual([400, '']);
    expect(errorMessage(reply)).toContain(`'${header}'`);
  });

  test('a key without access to any model of trivium/auto may not use trivium/auto', async () => {
    const [reply, models] = await served(protocol, AUTO, { authorization: `Bearer ${LIMITED_KEY}` });
    expect([reply.status, models]).toEqual([403, '']);
  });
});

function longTalk({ name }: ProtocolCall): unknown {
  const words = 'word '.repeat(2000);
  return name === 'responses' ? words : [{ role: 'user', content: words }];
}

describe('the chat body', () => {
  const [chat] = PROTOCOL_CALLS;
  const send = (members: object): Promise<[Answered, string]> =>
    served(chat, MIDDLE, {}, { ...chat.body(MIDDLE), model_routing_config: members });
  test('`model_routing_config` in the chat body equals the headers', async () => {
    const available_models = [LARGE, SMALL, MIDDLE];
    expect((await send({ available_models, task_info: { complexity: 'low' } }))[1]).toBe('small');
    expect((await send({ available_models, task_info: { complexity: 'low', task_type: 'completion' } }))[1]).toBe(
      'middle',
    );
    expect((await send({ available_models, task_info: { task_type: 'completion' } }))[1]).toBe('middle');
    expect((await send({ available_models, preference: LARGE, task_info: { complexity: 'low' } }))[1]).toBe('large');
  });
});

describe('the lists', () => {
  test('the model lists show trivium/auto only to keys with access to one of its models', async () => {
    const listed = async (key: string): Promise<boolean> => {
      const headers = { authorization: `Bearer ${key}` };
      return (await (await fetch(`${stand.url}/api/v1/models`, { headers })).text()).includes(AUTO);
    };
    expect([await listed(KEY), await listed(LIMITED_KEY)]).toEqual([true, false]);
  });
  test.each([
    '/api/v1/models/trivium/auto',
    '/api/anthropic/v1/models/trivium/auto',
    '/api/vertex-ai/v1/models/trivium/auto',
  ])('%s lists trivium/auto only where it is configured', async (path) => {
    const list = path.slice(0, -AUTO.length - 1);
    const idsOf = async (at: Stand): Promise<string> => await (await fetch(`${at.url}${list}`)).text();
    expect((await fetch(`${stand.url}${path}`)).status).toBe(200);
    expect(await idsOf(stand)).toContain(AUTO);
    const plain = await openStand({ alsoHosts: family });
    try {
      expect((await fetch(`${plain.url}${path}`)).status).toBe(404);
      expect(await idsOf(plain)).not.toContain(AUTO);
    } finally {
      await plain.close();
    }
  });
});

test.each(PROTOCOL_CALLS)('$name: trivium/auto is an unknown model where it is not configured', async (protocol) => {
  const plain = await openStand({ alsoHosts: family });
  try {
    expect((await call(plain, protocol, AUTO)).status).toBe(404);
  } finally {
    await plain.close();
  }
});
