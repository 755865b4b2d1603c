/** B2 over raw sockets: one interpretation of every target, refused in the format of its protocol, and nothing reaches an upstream. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openStand, type Stand } from '../support/stand.ts';
import {
  expectErrorForm,
  expectServing,
  GOOD_BODY,
  type HeadOptions,
  type Protocol,
  requestText,
  sendRaw,
} from './raw-exchange.ts';
import { CONTENT_TYPES, CREDENTIALS, HEADS, LISTS, METHODS, TARGETS, WHOLE_TARGETS } from './target-cases.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

const get = (target: string, method = 'GET'): string => `${method} ${target} HTTP/1.1\r\nHost: gateway\r\n\r\n`;

async function expectStatus(bytes: string, status: number, protocol: Protocol): Promise<string> {
  const { replies, hung } = await sendRaw(stand, bytes, { untilClosed: true });
  expect(hung).toBe(false);
  expect(replies.map((reply) => reply.status)).toEqual([status]);
  const [reply] = replies;
  if (reply !== undefined && status >= 400 && reply.body !== '') expectErrorForm(reply, protocol);
  return reply?.head ?? '';
}

describe.each(Object.entries(LISTS) as [Protocol, string][])('targets under the %s mount', (protocol, mount) => {
  test.each(TARGETS)('%j', async (rest, status) => {
    await expectStatus(get(mount + rest), status, protocol);
  });
  afterAll(() => expectServing(stand));
});

describe('whole targets', () => {
  test.each(WHOLE_TARGETS)('%j', async (target, status) => {
    await expectStatus(get(target), status, 'chat');
  });
});

describe('methods', () => {
  test.each(METHODS)('%s %s', async (method, path, allow) => {
    const protocol = (Object.entries(LISTS).find(([, mount]) => path.startsWith(mount))?.[0] ?? 'chat') as Protocol;
    const head = await expectStatusOrEmpty(get(path, method), protocol);
    expect(head.toLowerCase()).toContain(`\r\nallow: ${allow.toLowerCase()}`);
  });
});

/** An answer to HEAD has a content-length and no body, which only looks incomplete. */
async function expectStatusOrEmpty(bytes: string, protocol: Protocol): Promise<string> {
  if (!bytes.startsWith('HEAD')) return expectStatus(bytes, 405, protocol);
  const reply = await fetch(`${stand.url}${bytes.split(' ')[1]}`, { method: 'HEAD' });
  expect(reply.status).toBe(405);
  return `\r\nallow: ${reply.headers.get('allow')}`;
}

describe.each([
  ['heads', HEADS],
  ['credentials', CREDENTIALS],
  ['content types', CONTENT_TYPES.map(([type, status]): [string, HeadOptions, number] => [type, { type }, status])],
] as const)('%s', (_group, cases) => {
  let reached = 0;
  beforeAll(() => stand.simulator.truth.clear());
  test.each([...cases])('%j', async (_name, head, status) => {
    await expectStatus(requestText(GOOD_BODY, head), status, 'chat');
    if (status === 200) reached++;
  });
  afterEach(() => expect(stand.simulator.truth.read()).toHaveLength(reached));
});

test('a key in the query string is refused, and the error does not repeat it', async () => {
  for (const name of ['key', 'api_key']) {
    const line = `POST /api/v1/chat/completions?${name}=sk-in-a-url HTTP/1.1`;
    const { replies } = await sendRaw(stand, requestText(GOOD_BODY, { line, auth: '' }));
    expect(replies[0]?.status).toBe(401);
    expect(replies[0]?.body).toMatch(/query/);
    expect(replies[0]?.body).not.toContain('sk-in-a-url');
  }
});

test('the limit of the header size is exact', async () => {
  const statusOf = async (length: number): Promise<number> =>
    (await sendRaw(stand, get('/livez').replace('\r\n\r\n', `\r\nX-Long: ${'x'.repeat(length)}\r\n\r\n`))).replies[0]
      ?.status ?? 0;
  let [taken, refused] = [15_000, 17_000];
  while (refused - taken > 1) {
    const middle = Math.floor((taken + refused) / 2);
    if ((await statusOf(middle)) === 200) taken = middle;
    else refused = middle;
  }
  expect([await statusOf(taken), await statusOf(taken + 1)]).toEqual([200, 431]);
  expect(Math.abs(taken - 16_384)).toBeLessThan(100);
  await expectServing(stand);
});
