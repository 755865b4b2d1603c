// Every right of a key on every route: calls within it are served, others are refused.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEY_ENDPOINTS, KEY_PROTOCOLS } from '../../packages/gateway/src/people/accounts/rights.ts';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';
import { PROTOCOL_CALLS } from '../support/every-protocol.ts';

type Road = {
  readonly name: string;
  readonly protocol: string;
  readonly endpoint: string;
  /** Provider of the model and its host (default: `openai`). */
  readonly owner?: string;
  readonly path: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
};

const TEXT = 'openai/gpt-4o';
const VECTORS = 'text-embedding-3-small';
const VERSION = { 'anthropic-version': '2023-06-01' };
const genai = (model: string, action: string): string =>
  `/api/vertex-ai/v1/publishers/openai/models/${model}:${action}`;
const CONTENT = { role: 'user', parts: [{ text: 'Hello' }] };

const ROADS: readonly Road[] = [
  ...PROTOCOL_CALLS.map(({ name, path, body, headers }) => ({
    name,
    protocol: name === 'responses' ? 'chat' : name,
    endpoint: 'text',
    path: path(TEXT),
    body: body(TEXT),
    headers,
  })),
  {
    name: 'embeddings',
    protocol: 'chat',
    endpoint: 'embed',
    path: '/api/v1/embeddings',
    body: { model: `openai/${VECTORS}`, input: 'Hello' },
  },
  {
    name: 'embedContent',
    protocol: 'genai',
    endpoint: 'embed',
    path: genai(VECTORS, 'embedContent'),
    body: { content: CONTENT },
  },
  {
    name: 'images',
    protocol: 'chat',
    endpoint: 'image',
    path: '/api/v1/images/generations',
    body: { model: 'openai/gpt-image-1.5', prompt: 'Three roads' },
  },
  {
    name: 'predictLongRunning',
    protocol: 'genai',
    endpoint: 'video',
    owner: 'google',
    path: '/api/vertex-ai/v1/publishers/google/models/veo-3.1:predictLongRunning',
    body: { instances: [{ prompt: 'Three roads' }] },
  },
  {
    name: 'count_tokens',
    protocol: 'messages',
    endpoint: 'count',
    path: '/api/anthropic/v1/messages/count_tokens',
    body: { model: TEXT, messages: [{ role: 'user', content: 'Hello' }] },
    headers: VERSION,
  },
  {
    name: 'countTokens',
    protocol: 'genai',
    endpoint: 'count',
    path: genai('gpt-4o', 'countTokens'),
    body: { contents: [CONTENT] },
  },
];

const allBut = (names: readonly string[], one: string): readonly string[] => names.filter((name) => name !== one);

/** For each right: rights that allow the route, rights that do not, and the status of the refusal. */
const SCOPES: Readonly<Record<string, (road: Road) => readonly [object, object, number]>> = {
  models: ({ owner = 'openai' }) => [{ models: [`${owner}/*`] }, { models: ['anthropic/*', `${owner}/g`] }, 403],
  protocols: ({ protocol }) => [{ protocols: [protocol] }, { protocols: allBut(KEY_PROTOCOLS, protocol) }, 403],
  endpoints: ({ endpoint }) => [{ endpoints: [endpoint] }, { endpoints: allBut(KEY_ENDPOINTS, endpoint) }, 403],
  addresses: () => [{ addresses: ['127.0.0.0/8'] }, { addresses: ['10.0.0.0/8', '2001:db8::/32'] }, 401],
  expiresAt: () => [{ expiresAt: '2099-01-01T00:00:00Z' }, { expiresAt: '2020-01-01T00:00:00Z' }, 401],
};

let stand: AdminStand;
beforeAll(async () => {
  stand = await openAdminStand();
  await stand.newAccount('acme');
});
afterAll(() => stand.close());

const keyWith = async (rights: object): Promise<string> => {
  const { status, json, text } = await stand.admin('POST', '/accounts/acme/keys', { name: 'k', rights });
  if (status !== 201) throw new Error(text);
  return json['secret'] as string;
};

const send = async ({ path, body, headers = {} }: Road, secret: string, more: object = {}): Promise<number> => {
  const response = await fetch(`${stand.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...body, ...more }),
  });
  await response.arrayBuffer();
  return response.status;
};

describe.each(ROADS.map((road) => [road.name, road] as const))('%s', (_, road) => {
  test.each(Object.keys(SCOPES))('the right %s of a key is enforced', async (scope) => {
    const [within, beyond, refusal] = SCOPES[scope]?.(road) ?? [{}, {}, 0];
    expect(await send(road, await keyWith(within))).toBe(200);
    expect(await send(road, await keyWith(beyond))).toBe(refusal);
  });
});

/** Without token counting, which calls no host. */
const CALLS = ROADS.filter(({ endpoint }) => endpoint !== 'count');

test.each(CALLS.map((road) => [road.name, road] as const))(
  '%s reaches only the hosts that the key allows',
  async (_, road) => {
    expect(await send(road, await keyWith({ providers: [road.owner ?? 'openai'] }))).toBe(200);
    expect(await send(road, await keyWith({ providers: ['anthropic'] }))).toBe(403);
  },
);

/** A parameter that each protocol loses at this host, and the path of the loss. */
const LOSSES: Readonly<Record<string, readonly [object, string]>> = {
  messages: [{ top_k: 5 }, 'top_k'],
  genai: [{ generationConfig: { topK: 5 } }, 'generationConfig.topK'],
};

test.each(Object.keys(LOSSES))('a strict key on %s fails on a loss it does not tolerate', async (name) => {
  const road = ROADS.find((one) => one.name === name) as Road;
  const [more, path] = LOSSES[name] ?? [{}, ''];
  expect(await send(road, await keyWith({}), more)).toBe(200);
  expect(await send(road, await keyWith({ strict: true }), more)).toBe(400);
  expect(await send(road, await keyWith({ strict: true, tolerates: [path] }), more)).toBe(200);
});
