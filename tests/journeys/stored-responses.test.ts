// Stored responses and conversations as their callers use them, and what strangers find of them.
import { startGateway } from '@trivium/gateway';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { AdminStand } from '../support/admin-stand.ts';
import { CHAT, GOOGLE, type Json, MESSAGES, OWN, OWN_THINKER, PIXEL_URL } from '../support/responses-probe.ts';
import { SocketClient } from '../support/socket-client.ts';
import {
  type At,
  CANARY,
  errorOf,
  idIn,
  makeAt,
  makeBehind,
  query,
  type Reply,
  send,
} from '../support/stored-calls.ts';
import { HOSTS, openStoredStand } from '../support/stored-checks.ts';

let stand: AdminStand;
let acme: string;
let other: string;
beforeAll(async () => {
  stand = await openStoredStand();
  ({ secret: acme } = await stand.newAccount('acme'));
  ({ secret: other } = await stand.newAccount('other'));
});
afterAll(() => stand.close());

const make = (body: Json, secret = acme, at: At = stand): Promise<Reply> => makeAt(at, secret, body);
const upstreamCalls = (): number => stand.simulator.truth.read().length;
const sent = (): string => JSON.stringify(stand.simulator.truth.read().at(-1));

/** As if its time were over. */
const expire = (table: string, id: string): Promise<unknown> =>
  query(stand.database.url, `update ${table} set expires_at = now() where id = '${id}'`);
const OF_RESPONSE = [
  ['GET', ''],
  ['DELETE', ''],
  ['GET', '/input_items'],
  ['POST', '/cancel'],
  ['GET', '?stream=true'],
] as const;
const ofConversation = (item: string) =>
  [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', ''],
    ['GET', '/items'],
    ['POST', '/items'],
    ['GET', `/items/${item}`],
    ['DELETE', `/items/${item}`],
  ] as const;

test('[R-68] ids of others, of deleted, expired and guessed, and crooked paths find nothing in 500 tries', async () => {
  const mine = idIn(await make({ input: CANARY }));
  const conversation = idIn(
    await send(stand, acme, 'POST', '/conversations', { items: [{ role: 'user', content: CANARY }] }),
  );
  const item = String(
    ((await send(stand, acme, 'GET', `/conversations/${conversation}/items`)).json['data'] as Json[])[0]?.['id'],
  );
  const newConversation = async (): Promise<string> =>
    idIn(await send(stand, acme, 'POST', '/conversations', { items: [{ role: 'user', content: CANARY }] }));
  const deleted = [idIn(await make({})), await makeBehind(stand, acme, CANARY)];
  const deletedConversation = await newConversation();
  for (const path of [...deleted.map((id) => `/responses/${id}`), `/conversations/${deletedConversation}`])
    expect((await send(stand, acme, 'DELETE', path)).status).toBe(200);
  const expired = [idIn(await make({})), await makeBehind(stand, acme, CANARY)];
  for (const id of expired) for (const table of ['stored_responses', 'background_jobs']) await expire(table, id);
  const expiredConversation = await newConversation();
  await expire('conversations', expiredConversation);
  const guesses = Array.from(
    { length: 80 },
    (_, at) => `${mine.slice(0, -2)}${at.toString(32).toUpperCase().padStart(2, '0')}`,
  );
  const crooked = ['resp_%2e%2e', '..%2fkeys', 'resp_%00', "resp_'%3b--", '%25', 'resp_%F0%9F%92%A9', 'x'.repeat(300)];
  crooked.push('/resp_1', '..%2f..%2fresponses%2fresp_1', '%2e%2e%2fx', 'resp_1%5c..', 'resp_1%0a', '.%00', '%c3%28');
  const tries: (readonly [string, string, string])[] = [];
  for (const id of [...deleted, ...expired, ...guesses.filter((guess) => guess !== mine), ...crooked])
    for (const [method, rest] of OF_RESPONSE) tries.push([acme, method, `/responses/${id}${rest}`]);
  for (const id of [mine, ...expired])
    for (const [method, rest] of OF_RESPONSE) tries.push([other, method, `/responses/${id}${rest}`]);
  const near = Array.from({ length: 16 }, (_, at) => `${conversation.slice(0, -1)}${at.toString(16)}`);
  for (const id of [deletedConversation, expiredConversation, ...near.filter((guess) => guess !== conversation)])
    for (const [method, rest] of ofConversation(item)) tries.push([acme, method, `/conversations/${id}${rest}`]);
  for (const id of [conversation, ...crooked])
    for (const [method, rest] of ofConversation(item)) tries.push([other, method, `/conversations/${id}${rest}`]);
  expect(tries.length).toBeGreaterThanOrEqual(500);
  const answers = await Promise.all(
    tries.map(async ([secret, method, path]) => {
      const isWriting = method === 'POST' && !path.endsWith('/cancel');
      const reply = await send(
        stand,
        secret,
        method,
        path,
        isWriting ? { metadata: {}, items: [{ role: 'user', content: 'x' }] } : undefined,
      );
      return { path: `${method} ${path}`, status: reply.status, leaks: reply.text.includes(CANARY) };
    }),
  );
  expect(answers.filter(({ status, leaks }) => leaks || status !== 404)).toEqual([]);
  expect((await send(stand, acme, 'GET', `/responses/${mine}`)).status).toBe(200);
  expect((await send(stand, acme, 'GET', `/conversations/${conversation}/items/${item}`)).text).toContain(CANARY);
});

const BEYOND: readonly (readonly [string, object, number])[] = [
  ['without the right to text', { endpoints: ['embed', 'count'] }, 403],
  ['of another protocol', { protocols: ['messages'] }, 403],
  ['of other addresses', { addresses: ['10.0.0.0/8'] }, 401],
  ['that is over', { expiresAt: '2020-01-01T00:00:00Z' }, 401],
  ['that was revoked', {}, 401],
];

test.each(BEYOND)(
  '[R-93] a key %s gets at stored content what it gets at other calls',
  async (name, rights, status) => {
    const { json } = await stand.admin('POST', '/accounts/acme/keys', { name, rights });
    const [{ id: keyId }, secret] = [json['key'] as { id: string }, String(json['secret'])];
    if (name === 'that was revoked') await stand.admin('POST', `/accounts/acme/keys/${keyId}/revoke`);
    const response = idIn(await make({ input: CANARY }));
    const conversation = idIn(
      await send(stand, acme, 'POST', '/conversations', { items: [{ role: 'user', content: CANARY }] }),
    );
    const items = await send(stand, acme, 'GET', `/conversations/${conversation}/items`);
    const item = String((items.json['data'] as Json[])[0]?.['id']);
    const tries: (readonly [string, string])[] = [
      ...OF_RESPONSE.map(([method, rest]) => [method, `/responses/${response}${rest}`] as const),
      ['POST', '/conversations'],
      ...ofConversation(item).map(([method, rest]) => [method, `/conversations/${conversation}${rest}`] as const),
    ];
    const elsewhere = await send(stand, secret, 'POST', '/chat/completions', {
      model: CHAT,
      messages: [{ role: 'user', content: 'Hello' }],
    });
    expect([elsewhere.status, errorOf(elsewhere)]).toEqual([status, expect.objectContaining({ param: null })]);
    for (const [method, path] of tries) {
      const reply = await send(stand, secret, method, path, method === 'POST' ? { items: [] } : undefined);
      expect({ method, path, status: reply.status, error: errorOf(reply) }).toEqual({
        method,
        path,
        status,
        error: errorOf(elsewhere),
      });
    }
    expect((await send(stand, acme, 'GET', `/responses/${response}`)).text).toContain(CANARY);
    expect((await send(stand, acme, 'GET', `/conversations/${conversation}/items/${item}`)).text).toContain(CANARY);
  },
);

test('[R-68] references to what belongs to others reach no upstream', async () => {
  const theirs = await make({ input: CANARY }, other);
  const theirItem = String((theirs.json['output'] as Json[])[0]?.['id']);
  const conversation = idIn(await send(stand, other, 'POST', '/conversations', {}));
  const before = upstreamCalls();
  for (const id of [idIn(theirs), 'resp_1', 'resp_\u0000', '', 'x'.repeat(500)]) {
    const reply = await make({ previous_response_id: id });
    expect([reply.status, errorOf(reply)]).toEqual([
      400,
      {
        message: expect.stringContaining('not found'),
        type: 'invalid_request_error',
        param: 'previous_response_id',
        code: 'previous_response_not_found',
      },
    ]);
  }
  for (const reference of [
    { type: 'item_reference', id: theirItem },
    { id: theirItem },
    { type: null, id: theirItem },
  ]) {
    const reply = await make({ input: [{ role: 'user', content: 'x' }, reference] });
    expect([reply.status, errorOf(reply)['param']]).toEqual([404, 'input[1]']);
  }
  for (const id of [conversation, { id: conversation }, 'conv_1', 'conv_\u0000'])
    expect(await make({ conversation: id })).toMatchObject({ status: 404, json: { error: { param: 'conversation' } } });
  expect(upstreamCalls()).toBe(before);
});

test.each([
  ['both references', { previous_response_id: 'resp_1', conversation: 'conv_1' }, 'previous_response_id'],
  ['a conversation without store', { conversation: 'conv_1', store: false }, 'store'],
  ['a number', { previous_response_id: 5 }, 'previous_response_id'],
  ['a list', { conversation: ['conv_1'] }, 'conversation'],
  ['a prompt', { prompt: { id: 'pmpt_1' } }, 'prompt'],
  ['background without store', { background: true, store: false }, 'background'],
])('[R-67] %s is refused by name', async (_, members, field) => {
  const before = upstreamCalls();
  expect(await make(members)).toMatchObject({ status: 400, json: { error: { param: field } } });
  expect(upstreamCalls()).toBe(before);
});

test('[R-70] answers that race into one conversation are each added whole, and once', async () => {
  const conversation = idIn(await send(stand, acme, 'POST', '/conversations', {}));
  const names = Array.from({ length: 12 }, (_, at) => `racer-${at}-`);
  const replies = await Promise.all(
    names.map((name, at) =>
      make({ model: [CHAT, OWN, MESSAGES][at % 3], input: name, conversation, stream: at % 2 === 0 }),
    ),
  );
  expect(replies.map(({ status }) => status)).toEqual(names.map(() => 200));
  const { json } = await send(stand, acme, 'GET', `/conversations/${conversation}/items?order=asc&limit=100`);
  const items = json['data'] as Json[];
  expect(items.map(({ role }) => role)).toEqual(names.flatMap(() => ['user', 'assistant']));
  expect(new Set(items.map(({ id }) => id)).size).toBe(2 * names.length);
  const asked = items.filter((_, at) => at % 2 === 0).map(({ content }) => (content as Json[])[0]?.['text']);
  expect(asked.toSorted()).toEqual(names.toSorted());
  // Each answer, which repeats what it was asked, follows its own question.
  for (const [at, name] of asked.entries()) expect(JSON.stringify(items[2 * at + 1])).toContain(String(name));
});

test('[R-65] a response is there for another node before its caller has the last event', async () => {
  const second = await startGateway({ config: stand.config() });
  try {
    for (const model of Object.values(HOSTS)) {
      const response = await fetch(`${stand.chatUrl}/responses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${acme}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, input: 'Hello there', stream: true }),
      });
      let text = '';
      let read: Reply | undefined;
      const decoder = new TextDecoder();
      for await (const piece of response.body ?? []) {
        text += decoder.decode(piece, { stream: true });
        if (read !== undefined || !text.includes('event: response.completed')) continue;
        const id = /"id":"(resp_[^"]+)"/.exec(text)?.[1] ?? '';
        read = await send({ chatUrl: `${second.url}/api/v1` }, acme, 'GET', `/responses/${id}`);
      }
      expect([read?.status, read?.json['status']]).toEqual([200, 'completed']);
    }
  } finally {
    await second.close();
  }
});

test('[R-81] a frame that asks for a response in the background is refused by name, and the connection stays', async () => {
  const client = await SocketClient.open(`${stand.chatUrl}/responses`, { authorization: `Bearer ${acme}` });
  const before = upstreamCalls();
  for (const more of [{}, { generate: false }, { stream_id: 'a' }]) {
    const refused = await client.create({ model: OWN, input: 'Hello', background: true, ...more });
    const error = { type: 'invalid_request_error', param: 'background' };
    expect(refused).toMatchObject([{ type: 'error', status: 400, error }]);
  }
  expect(upstreamCalls()).toBe(before);
  for (const background of [false, null]) {
    const events = await client.create({ model: OWN, input: 'Hello', background });
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { background: false } });
  }
  await client.close();
});

test('sealed reasoning goes back to its owner only', async () => {
  const thinking = { input: 'Think. @simulate scenario=reasoning', reasoning: { effort: 'high', summary: 'auto' } };
  const first = await make({ model: OWN_THINKER, ...thinking });
  const item = (first.json['output'] as Json[]).find(({ type }) => type === 'reasoning');
  const seal = String(item?.['encrypted_content']);
  expect(seal.length).toBeGreaterThan(10);
  const previous_response_id = idIn(first);
  await make({ model: OWN_THINKER, input: 'Go on', previous_response_id });
  expect(sent()).toContain(seal);
  for (const model of [CHAT, MESSAGES, GOOGLE]) {
    expect((await make({ model, input: 'Go on', previous_response_id })).status).toBe(200);
    expect(sent()).not.toContain(seal);
    expect(sent()).toContain('Think.');
  }
});

test('a conversation too large for this thread is stored and goes on like any other', async () => {
  const input = Array.from({ length: 7000 }, (_, at) => ({
    role: 'user',
    content: `line ${at} of many in this long one`,
  }));
  const first = idIn(await make({ model: OWN, input }));
  expect((await make({ model: MESSAGES, input: 'And?', previous_response_id: first })).status).toBe(200);
  expect(sent()).toContain('line 6999');
});

// The large one is set aside while its request is read.
test.each([0, 600_000])('pictures with %d more characters are part of what is stored', async (more) => {
  const picture = `${PIXEL_URL.replace(/=+$/, '')}${'A'.repeat(more)}`;
  const image_url = picture + '='.repeat((4 - ((picture.split(',')[1] ?? '').length % 4)) % 4);
  const content = [
    { type: 'input_text', text: 'Look' },
    { type: 'input_image', image_url },
  ];
  const first = await make({ model: OWN, input: [{ role: 'user', content }] });
  const items = await send(stand, acme, 'GET', `/responses/${idIn(first)}/input_items`);
  expect(JSON.stringify(items.json).includes(image_url)).toBe(true);
  expect((await make({ model: OWN, input: 'What was it?', previous_response_id: idIn(first) })).status).toBe(200);
  expect(sent().includes(image_url.slice(-80))).toBe(true);
});

test('a repeated Idempotency-Key gets the response that was stored', async () => {
  const key = { 'idempotency-key': 'state-1' };
  const body = { model: CHAT, input: 'Once' };
  const [first, second] = [
    await send(stand, acme, 'POST', '/responses', body, key),
    await send(stand, acme, 'POST', '/responses', body, key),
  ];
  expect(second.text).toBe(first.text);
  expect((await send(stand, acme, 'GET', `/responses/${idIn(first)}`)).json).toEqual(first.json);
});

test('captured content has the answer, although it waited for the store', async () => {
  const { secret } = await stand.newAccount('seen');
  await stand.admin('PATCH', '/accounts/seen/records', {
    bodies: 'all',
    until: new Date(Date.now() + 3_600_000).toISOString(),
  });
  for (const stream of [false, true]) {
    const { headers } = await make({ stream }, secret);
    const wire = await vi.waitFor(async () => {
      const { json } = await stand.admin('GET', `/requests/${headers.get('x-request-id')}/wire`);
      expect(json).toMatchObject({ captured: true });
      return JSON.stringify((json['panes'] as Json)['callerResponse']);
    });
    expect(wire).toContain('resp_');
    if (stream) expect(wire).toContain('response.completed');
  }
});
