/** Bodies in zstd and gzip, as Codex and proxies send them, and bombs. */
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../support/chat-probe.ts';
import { send } from '../support/raw-request.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

const PACK = { gzip: gzipSync, zstd: zstdCompressSync } as const;
const BOTH = ['zstd', 'gzip'] as const;
const CHAT = '/v1/chat/completions';
const RESPONSES = { model: 'openai/gpt-4o', input: 'hello', store: false, stream: true };
const MESSAGES = { model: 'openai/gpt-4o', max_tokens: 20, messages: [{ role: 'user', content: 'hello' }] };
const GENERATE = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] };

const post = (path: string, encoding: string, body: Buffer) =>
  send(stand, {
    path,
    headers: [
      ...['authorization', `Bearer ${KEY}`, 'content-type', 'application/json', 'anthropic-version', '2023-06-01'],
      ...['content-encoding', encoding],
    ],
    body,
  });

test.each(BOTH)('a body in %s is read on every protocol', async (encoding) => {
  const calls = [
    [CHAT, ask()],
    ['/v1/responses', RESPONSES],
    ['/v1/messages', MESSAGES],
    ['/v1/messages/count_tokens', MESSAGES],
    ['/v1beta/models/openai/gpt-4o:generateContent', GENERATE],
  ] as const;
  for (const [path, body] of calls) {
    const { status, text } = await post(path, encoding, PACK[encoding](JSON.stringify(body)));
    expect([path, status, text]).toEqual([path, 200, expect.stringMatching(/\S/)]);
  }
});

test.each(BOTH)('[E-12] a bomb in %s is 413, and nothing of it is held afterwards', async (encoding) => {
  const bomb = PACK[encoding](JSON.stringify(ask({ pad: ' '.repeat(30_000_000) })));
  expect(bomb.length).toBeLessThan(35_000);
  const before = stand.simulator.truth.read().length;
  const { status, json } = await post(CHAT, encoding, bomb);
  expect([status, json['error']]).toMatchObject([
    413,
    { code: 'request_too_large', message: expect.stringContaining('limits.unpackRatio') },
  ]);
  expect(stand.simulator.truth.read().length).toBe(before);
  expect((await post(CHAT, encoding, PACK[encoding](JSON.stringify(ask())))).status).toBe(200);
});

test('[E-13] partly: several encodings, and unknown ones, are 415', async () => {
  const body = JSON.stringify(ask());
  const nested = gzipSync(zstdCompressSync(body));
  for (const encoding of ['zstd, gzip', 'gzip, gzip', 'br', 'deflate']) {
    const { status, json } = await post(CHAT, encoding, nested);
    expect([encoding, status, json['error']]).toMatchObject([encoding, 415, { code: 'unsupported_media_type' }]);
  }
  // Named once, packed twice.
  const { status } = await post(CHAT, 'gzip', gzipSync(gzipSync(body)));
  expect(status).toBe(400);
});

test('a body that is not what its header says is 400, by name', async () => {
  const { status, json } = await post(CHAT, 'zstd', Buffer.from(JSON.stringify(ask())));
  expect([status, json['error']]).toMatchObject([400, { message: 'The request body is not valid zstd.' }]);
});
