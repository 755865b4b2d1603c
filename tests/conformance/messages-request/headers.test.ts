/** The headers of a messages request: version, betas, content type; its mounts; and token counting. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ask,
  CLAUDE,
  EVERY_MODEL,
  expectError,
  GEMINI,
  messagesHosts,
  OPENAI,
  postMessages,
  RESPONSES,
  refused,
  type SendHeaders,
  served,
} from '../../support/messages-probe.ts';
import { send } from '../../support/raw-request.ts';
import { KEY, openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: messagesHosts });
});
afterAll(() => stand.close());

const NONE = { 'anthropic-version': undefined };
const calls = () => stand.simulator.truth.read().length;

describe('version', () => {
  test.each([
    ['A-14', 'partner-version 2023-06-01', { ...NONE, 'partner-version': '2023-06-01' }],
    ['A-15', 'anthropic-version 2023-06-01', { 'anthropic-version': '2023-06-01' }],
    ['A-16', 'anthropic-version 2026-10-21', { 'anthropic-version': '2026-10-21' }],
    ['A-18', 'both', { 'anthropic-version': '2023-06-01', 'partner-version': '2023-06-01' }],
    ['A-18', 'both, the newer one too', { 'anthropic-version': '2026-10-21', 'partner-version': '2023-06-01' }],
  ] as [string, string, SendHeaders][])('[%s] %s is accepted', async (_rule, _label, headers) => {
    const usual = await served(stand, ask());
    const { reply, sent } = await served(stand, ask(), headers);
    expect(sent).toEqual(usual.sent);
    expect({ ...reply.json, id: '' }).toEqual({ ...usual.reply.json, id: '' });
  });

  test.each(EVERY_MODEL)('[A-13] a request without a version is refused (%s)', (model) =>
    refused(stand, ask({ model }), undefined, NONE),
  );

  test.each([
    ['A-17', 'partner-version', '2026-10-21', NONE],
    ['A-17', 'partner-version', '2024-01-01', NONE],
    ['A-17', 'partner-version', '', NONE],
    ['A-17', 'anthropic-version', '2024-01-01', NONE],
    ['A-17', 'anthropic-version', '', NONE],
    ['A-18', 'partner-version', '2024-01-01', {}],
    ['A-18', 'anthropic-version', '2024-01-01', { 'partner-version': '2023-06-01' }],
  ] as [string, string, string, SendHeaders][])('[%s] %s "%s" is refused', async (_rule, name, version, others) => {
    for (const model of [CLAUDE, OPENAI]) await refused(stand, ask({ model }), name, { ...others, [name]: version });
  });

  test.each(EVERY_MODEL)('[A-19] the version does not choose the model (%s)', async (model) => {
    const older = await served(stand, ask({ model }));
    const newer = await served(stand, ask({ model }), { 'anthropic-version': '2026-10-21' });
    expect(newer.sent).toEqual(older.sent);
    expect(newer.reply.json).toEqual({ ...older.reply.json, id: newer.reply.json['id'] });
  });
});

describe('betas', () => {
  const seen = () => stand.simulator.truth.last()?.headers['anthropic-beta'];

  test.each([
    ['a list', { 'anthropic-beta': 'foo-2030, bar-2031' }],
    ['a list under the partner’s name', { 'partner-beta': 'foo-2030,bar-2031' }],
    ['both headers', { 'partner-beta': 'foo-2030', 'anthropic-beta': 'bar-2031' }],
  ] as [string, SendHeaders][])(
    '[A-20][A-22] %s reaches an upstream of this dialect, and no other',
    async (_label, headers) => {
      await served(stand, ask(), headers);
      expect(seen()).toBe('foo-2030,bar-2031');
      for (const model of [OPENAI, RESPONSES, GEMINI]) {
        await served(stand, ask({ model }), headers);
        expect(JSON.stringify(stand.simulator.truth.last()?.headers)).not.toMatch(/foo-2030|beta":/);
      }
    },
  );

  test('[A-20] a repeated anthropic-beta header is read completely', async () => {
    const { status } = await repeated('foo-2030', 'bar-2031');
    expect(status).toBe(200);
    expect(seen()).toBe('foo-2030,bar-2031');
  });

  const BARRED = 'code-execution-2025-08-25';
  test.each([
    ['alone', { 'anthropic-beta': BARRED }, 'anthropic-beta'],
    ['alone, under the partner’s name', { 'partner-beta': BARRED }, 'partner-beta'],
    ['inside a list', { 'anthropic-beta': `foo-2030,${BARRED},bar` }, 'anthropic-beta'],
    ['with spaces around', { 'partner-beta': `foo-2030 ,  ${BARRED} ` }, 'partner-beta'],
    ['in the second header', { 'partner-beta': 'foo-2030', 'anthropic-beta': BARRED }, 'anthropic-beta'],
  ] as [string, SendHeaders, string][])('[A-21] code execution %s is refused', async (_label, headers, field) => {
    for (const model of [CLAUDE, OPENAI]) await refused(stand, ask({ model }), field, headers);
  });

  test('[A-21] code execution in a repeated anthropic-beta header is refused', async () => {
    const before = calls();
    expect(await repeated('foo-2030', BARRED)).toMatchObject({
      status: 400,
      json: { error: { type: 'invalid_request_error' } },
    });
    expect(calls()).toBe(before);
  });

  test.each(EVERY_MODEL)(
    '[A-23] no beta is required, and none is sent unless the caller names it (%s)',
    async (model) => {
      await served(stand, ask({ model }));
      expect(seen()).toBeUndefined();
    },
  );

  const repeated = (...betas: string[]) =>
    send(stand, {
      path: '/api/anthropic/v1/messages',
      headers: [
        'content-type',
        'application/json',
        'x-api-key',
        KEY,
        'anthropic-version',
        '2023-06-01',
        ...betas.flatMap((beta) => ['anthropic-beta', beta]),
      ],
      body: JSON.stringify(ask()),
    });
});

describe('content type', () => {
  test.each([undefined, 'text/plain', 'application/x-www-form-urlencoded'])(
    '[A-24] content type %s is refused',
    async (type) => {
      const before = calls();
      expectError(await postMessages(stand, ask(), { 'content-type': type }), 415, 'invalid_request_error');
      expect(calls()).toBe(before);
    },
  );

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset=UTF-8'])(
    '[A-24] content type %s is accepted',
    async (type) => {
      await served(stand, ask(), { 'content-type': type });
    },
  );
});

describe('mounts', () => {
  test('[A-28] both mounts give the same answer', async () => {
    const replies = [];
    for (const mount of ['/api/anthropic', '/api/messages'])
      replies.push(await postMessages(stand, ask(), {}, `${mount}/v1/messages`));
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    const [first, second] = replies.map(({ json }) => ({ ...json, id: '' }));
    expect(first).toEqual(second);
    expectError(
      await postMessages(stand, { ...ask(), max_tokens: 0 }, {}, '/api/messages/v1/messages'),
      400,
      'invalid_request_error',
      'max_tokens',
    );
  });
});

describe('counting tokens', () => {
  const PATH = '/api/anthropic/v1/messages/count_tokens';
  const { max_tokens: _, ...body } = ask({ system: 'Be brief.' });

  test.each(EVERY_MODEL)('[P-31] count_tokens answers for %s', async (model) => {
    const short = await postMessages(stand, { ...body, model }, {}, PATH);
    expect(short.status).toBe(200);
    expect(Object.keys(short.json)).toEqual(['input_tokens']);
    const long = await postMessages(stand, { ...body, model, system: 'Be brief. '.repeat(500) }, {}, PATH);
    expect(long.json['input_tokens']).toBeGreaterThan(Number(short.json['input_tokens']) + 500);
    expect(Number.isInteger(short.json['input_tokens'])).toBe(true);
  });

  test('[P-31] a request that would be refused cannot be counted', async () => {
    expectError(
      await postMessages(stand, { ...body, messages: [] }, {}, PATH),
      400,
      'invalid_request_error',
      'messages',
    );
    expectError(await postMessages(stand, { ...body, model: 'no/such' }, {}, PATH), 404, 'not_found_error');
    expectError(await postMessages(stand, body, { 'x-api-key': undefined }, PATH), 401, 'authentication_error');
  });
});
