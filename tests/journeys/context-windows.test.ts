// Plans know a model's context window: a prompt that cannot fit is not sent there, and one that turns out too long moves on
// to a larger model of the caller's list. Other refusals of a host are final, unless the caller asked for the next host.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type CannedStand, openStandBesideCanned } from '../support/canned-upstream.ts';
import { BEARER, call, type Json, PROTOCOL_CALLS, type ProtocolCall } from '../support/every-protocol.ts';
import { UPSTREAM_SECRET } from '../support/stand.ts';
import { askedBy } from '../support/three-hosts.ts';

const SMALL = 'small/any';
const LARGE = 'large/any';
const DIALECTS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'google-generate'] as const;

let stand: CannedStand;
beforeAll(async () => {
  stand = await openStandBesideCanned((cannedUrl) => ({
    alsoHosts: (simulatorUrl) => ({
      providers: {
        ...Object.fromEntries(
          ['small', 'large', 'middle'].map((host) => [
            host,
            { dialect: 'openai-chat', baseUrl: `${simulatorUrl}/compatible@${host}/v1`, credential: UPSTREAM_SECRET },
          ]),
        ),
        ...Object.fromEntries(
          DIALECTS.map((dialect) => [`says-${dialect}`, { dialect, baseUrl: cannedUrl, credential: UPSTREAM_SECRET }]),
        ),
      },
      models: [
        { id: SMALL, contextLength: 128_000, endpoints: [{ provider: 'small' }] },
        { id: LARGE, contextLength: 1_000_000, endpoints: [{ provider: 'large' }] },
        { id: 'middle/any', contextLength: 128_000, endpoints: [{ provider: 'middle' }] },
        ...DIALECTS.map((dialect) => ({
          id: `says-${dialect}/any`,
          contextLength: 128_000,
          endpoints: [{ provider: `says-${dialect}` }],
        })),
      ],
    }),
  }));
});
afterAll(() => stand.close());

/** Eight different letters of prose make about two tokens. */
const WORDS = 'One more line about rivers. ';
const promptOf = (tokens: number): string => WORDS.repeat(Math.ceil((tokens * 4) / WORDS.length));

const listing = (...models: string[]) => ({ ...BEARER, 'x-trivium-models': models.join(',') });

const explained = (id: string | null): Promise<Json> =>
  vi.waitFor(async () => {
    const response = await fetch(`${stand.url}/api/v1/requests/${id}`, { headers: BEARER });
    expect(response.status).toBe(200);
    return (await response.json()) as Json;
  });

describe.each(PROTOCOL_CALLS)('$name', (protocol: ProtocolCall) => {
  test('a prompt of 500k tokens to a list of a 128k and a 1M model: the second answers, and explain says why', async () => {
    const body = protocol.body(SMALL, promptOf(500_000));
    const [reply, asked] = await askedBy(stand, () => call(stand, protocol, SMALL, body, listing(SMALL, LARGE)));
    expect([reply.status, reply.headers.get('x-trivium-provider')]).toEqual([200, 'large']);
    expect(asked.map(({ host }) => host)).toEqual(['large']);
    const explanation = await explained(reply.headers.get('x-request-id'));
    expect(explanation).toMatchObject({
      model: LARGE,
      attempts: [{ provider: 'large', outcome: 'ok' }],
      decision: {
        prompt_tokens: { at_least: expect.any(Number), at_most: expect.any(Number) },
        order: [{ provider: 'large', room: 'may-exceed', scores: { context_length: 1_000_000 } }],
        left_out: [{ provider: 'small', model: SMALL, why: 'context-too-short', context_length: 128_000 }],
      },
    });
    const { at_least, at_most } = (explanation['decision'] as Json)['prompt_tokens'] as Record<string, number>;
    expect(at_least).toBeGreaterThan(128_000);
    expect(at_most).toBeGreaterThan(500_000);
  });

  test('a prompt that may be too long for the first model of the list goes to the second, and the first comes last', async () => {
    const body = protocol.body(SMALL, promptOf(100_000));
    const reply = await call(stand, protocol, SMALL, body, listing(SMALL, LARGE));
    expect([reply.status, reply.headers.get('x-trivium-provider')]).toEqual([200, 'large']);
    expect(await explained(reply.headers.get('x-request-id'))).toMatchObject({
      decision: {
        order: [
          { provider: 'large', room: 'fits' },
          { provider: 'small', room: 'may-exceed' },
        ],
        left_out: [],
      },
    });
  });

  test('a short prompt goes to the first model of the list, and no token bounds are computed', async () => {
    const reply = await call(stand, protocol, SMALL, protocol.body(SMALL), listing(SMALL, LARGE));
    expect([reply.status, reply.headers.get('x-trivium-provider')]).toEqual([200, 'small']);
    expect(await explained(reply.headers.get('x-request-id'))).toMatchObject({ decision: { prompt_tokens: null } });
  });
});

/** The error bodies of the dialects' providers. */
const TOO_LONG: Readonly<Record<(typeof DIALECTS)[number], object>> = {
  'openai-chat': { error: { message: 'Too long.', type: 'invalid_request_error', code: 'context_length_exceeded' } },
  'openai-responses': { error: { message: 'Too long.', code: 'context_length_exceeded' } },
  'anthropic-messages': {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'prompt is too long: 214898 tokens > 200000 maximum' },
  },
  'google-generate': {
    error: {
      code: 400,
      status: 'INVALID_ARGUMENT',
      message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    },
  },
};
const [chat] = PROTOCOL_CALLS;
const say = (body: object): void =>
  stand.say({ status: 400, contentType: 'application/json', pieces: [JSON.stringify(body)] });

describe.each(DIALECTS)('a host of %s', (dialect) => {
  const model = `says-${dialect}/any`;
  test('a prompt that the host finds too long moves to the next larger model, and to no other', async () => {
    say(TOO_LONG[dialect]);
    const preferences = listing(model, 'middle/any', LARGE);
    const [reply, asked] = await askedBy(stand, () => call(stand, chat, model, chat.body(model), preferences));
    expect([reply.status, reply.headers.get('x-trivium-provider')]).toEqual([200, 'large']);
    expect(asked.map(({ host }) => host)).toEqual(['large']);
    expect(await explained(reply.headers.get('x-request-id'))).toMatchObject({
      attempts: [
        { provider: `says-${dialect}`, outcome: 'context-exceeded' },
        { provider: 'large', outcome: 'ok' },
      ],
    });
  });
  test('context_length_exceeded is returned in the caller’s format when no larger model is listed', async () => {
    say(TOO_LONG[dialect]);
    const reply = await call(stand, chat, model, chat.body(model), listing(model, 'middle/any'));
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({ error: { code: 'context_length_exceeded' } });
  });
  test('a content refusal of the host is final, unless the caller asks for the next host', async () => {
    say({
      type: 'error',
      error: { message: 'Against our rules.', type: 'invalid_request_error', code: 'content_filter' },
    });
    const preferences = listing(model, LARGE);
    const refused = await call(stand, chat, model, chat.body(model), preferences);
    expect(refused.status).toBe(400);
    const next = await call(stand, chat, model, chat.body(model), {
      ...preferences,
      'x-trivium-on-refusal': 'next',
    });
    expect([next.status, next.headers.get('x-trivium-provider')]).toEqual([200, 'large']);
    const unknown = await call(stand, chat, model, chat.body(model), {
      ...preferences,
      'x-trivium-on-refusal': 'maybe',
    });
    expect(unknown.json).toMatchObject({ error: { param: 'x-trivium-on-refusal' } });
  });
});
