import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CannedUpstream, openCannedUpstream, plainAnswer } from '../../support/canned-upstream.ts';
import { ask } from '../../support/chat-probe.ts';
import { openStand, postChat, type Stand, UPSTREAM_SECRET } from '../../support/stand.ts';

const SHORT = { firstByteMs: 2000, silenceMs: 2000 };

let stand: Stand;
let canned: CannedUpstream;
beforeAll(async () => {
  canned = await openCannedUpstream();
  stand = await openStand({
    alsoHosts: () => ({
      providers: { canned: { dialect: 'openai-chat', baseUrl: canned.url } },
      models: [{ id: 'canned/one', endpoints: [{ provider: 'canned' }] }],
    }),
    config: () => ({ timeouts: { ...SHORT, classes: { reasoning: SHORT } }, limits: { answerBytes: 65_536 } }),
  });
});
afterAll(async () => {
  await stand.close();
  await canned.close();
});

test.each([
  'status=500',
  'status=502',
  'fault=html-200',
  'fault=malformed-frame',
  'fault=truncated-json',
  'fault=reset-before-headers',
])('[E-16] partly: a failing upstream (%s) is 502 on the chat route', async (instruction) => {
  stand.simulator.arm(instruction);
  const reply = await postChat(stand, ask());
  expect(reply.status).toBe(502);
  expect(reply.json['error']).toMatchObject({ type: 'server_error', code: 'upstream_error' });
});

test('[E-17] partly: an overloaded upstream is 503 with retry-after on the chat route', async () => {
  stand.simulator.arm('status=503 retry-after=7');
  const reply = await postChat(stand, ask());
  expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '7']);
  expect(reply.json['error']).toMatchObject({ type: 'server_error', code: 'overloaded' });
});

test.each([401, 403, 404])(
  '[E-21] an upstream’s %i is the gateway’s failure, not the caller’s: 502 without the upstream key',
  async (status) => {
    for (const stream of [false, true]) {
      stand.simulator.arm(`status=${status}`);
      const reply = await postChat(stand, ask({ stream }));
      expect(stand.simulator.truth.last()?.status).toBe(status);
      expect(stand.simulator.truth.last()?.headers.authorization).toBe(`Bearer ${UPSTREAM_SECRET}`);
      expect(reply.status).toBe(502);
      expect(reply.json['error']).toMatchObject({ type: 'server_error', code: 'upstream_error', param: null });
      expect(reply.text).not.toContain(UPSTREAM_SECRET);
      expect(reply.text).not.toContain('API key');
    }
  },
);

const BEFORE_THE_FIRST_BYTE = [
  'fault=stall-before-headers',
  'fault=stall-after-headers',
  'fault=reset-before-headers',
  'fault=error-frame-first',
  'fault=html-200',
  'fault=json-error-200',
  'fault=truncated-json',
  'status=400',
  'status=401',
  'status=403',
  'status=404',
  'status=429',
  'status=500',
  'status=502',
  'status=503',
  'status=529',
];

test.each(BEFORE_THE_FIRST_BYTE)('[E-22] a non-streamed call that fails is never 200: %s', async (instruction) => {
  if (instruction === 'fault=error-frame-first') return expectFailure(instruction, { stream: true });
  await expectFailure(instruction, {});
});

test.each(BEFORE_THE_FIRST_BYTE.filter((instruction) => instruction !== 'fault=truncated-json'))(
  '[E-22] a stream that fails before its first byte is never 200: %s',
  (instruction) => expectFailure(instruction, { stream: true }),
);

async function expectFailure(instruction: string, members: Record<string, unknown>): Promise<void> {
  stand.simulator.arm(instruction);
  const reply = await postChat(stand, ask(members));
  expect(reply.status).toBeGreaterThanOrEqual(400);
  expect(reply.headers.get('content-type')).toBe('application/json');
  expect(reply.json['error']).toMatchObject({ message: expect.stringMatching(/\S/) });
}

test.each([
  [{ code: 429 }, 429, 'rate_limit_exceeded'],
  [{ code: 503 }, 503, 'overloaded'],
  [{ status: 504 }, 504, 'timeout'],
  [{ code: 401 }, 502, 'upstream_error'],
  [{ code: 200 }, 502, 'upstream_error'],
  [{ code: 999 }, 502, 'upstream_error'],
  [{ code: 'odd' }, 502, 'upstream_error'],
])('[E-22] an error inside an upstream’s 200 keeps its meaning: %j → %i', async (error, status, code) => {
  canned.say(plainAnswer({ error: { message: 'no', ...error } }));
  const reply = await postChat(stand, ask({ model: 'canned/one' }));
  expect(reply.status).toBe(status);
  expect(reply.json['error']).toMatchObject({ code });
});
