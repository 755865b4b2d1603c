import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ask } from '../../support/chat-probe.ts';
import { LIST_PATHS } from '../../support/model-lists.ts';
import { send } from '../../support/raw-request.ts';
import { KEY, openStand, postChat, type Stand } from '../../support/stand.ts';

const PRIVATE_CAUSE = 'private-detail-of-the-inside';

let stand: Stand;
beforeEach(async () => {
  stand = await openStand({
    config: () => ({ limits: { bodyBytes: 4096, inFlight: 1 }, timeouts: { firstByteMs: 2000 } }),
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  return stand.close();
});

/** Makes the gateway's next JSON.stringify throw: an unexpected exception. */
const breakOnce = (): void => {
  vi.spyOn(JSON, 'stringify').mockImplementationOnce(() => {
    throw new Error(PRIVATE_CAUSE);
  });
};

test('[E-15] an unexpected exception is 500 with a fixed message in all three error formats', async () => {
  const words = {
    chat: { type: 'server_error', code: 'internal_error' },
    messages: { type: 'api_error' },
    genai: { status: 'INTERNAL', code: 500 },
  };
  const call = {
    path: '/api/v1/chat/completions',
    headers: ['authorization', `Bearer ${KEY}`],
    body: JSON.stringify(ask()),
  };
  const messages = new Set<string>();
  for (const [protocol, request] of [
    ['chat', { method: 'GET', path: LIST_PATHS.chat }],
    ['messages', { method: 'GET', path: LIST_PATHS.messages }],
    ['genai', { method: 'GET', path: LIST_PATHS.genai }],
    ['chat', call],
  ] as const) {
    expect((await send(stand, request)).status).toBe(200);
    breakOnce();
    const { status, json, text } = await send(stand, request);
    expect([request.path, status]).toEqual([request.path, 500]);
    expect(json['error']).toMatchObject(words[protocol]);
    expect(text).not.toContain(PRIVATE_CAUSE);
    expect(text).not.toMatch(/\bat .*:\d+|Error:|\.ts\b/);
    messages.add((json['error'] as { message: string }).message);
  }
  expect(messages.size).toBe(1);
});

test('[E-12] partly: on the chat route a body one byte over the limit is 413, a body of exactly the limit is not', async () => {
  const bodyOf = (bytes: number): string => {
    const frame = JSON.stringify(ask({ messages: [{ role: 'user', content: '' }] }));
    return frame.replace('"content":""', `"content":"${'x'.repeat(bytes - frame.length)}"`);
  };
  expect((await postChat(stand, bodyOf(4096))).status).toBe(200);
  const reply = await postChat(stand, bodyOf(4097));
  expect(reply.status).toBe(413);
  expect(reply.json['error']).toMatchObject({ type: 'invalid_request_error', code: 'request_too_large' });
});

/** Takes the only slot until the returned function releases it. */
async function occupy(): Promise<() => Promise<void>> {
  stand.simulator.arm('ttft=5000');
  const caller = new AbortController();
  const running = fetch(`${stand.chatUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
    body: JSON.stringify(ask({ stream: true })),
    signal: caller.signal,
  });
  running.catch(() => {});
  await expect.poll(() => stand.gateway.gauges.takenSlots).toBe(1);
  return async () => {
    caller.abort();
    await expect.poll(() => stand.gateway.gauges.takenSlots).toBe(0);
  };
}

test('[E-17] partly: requests above the gateway’s capacity are 503 with retry-after on the chat route', async () => {
  const leave = await occupy();
  const reply = await postChat(stand, ask());
  expect(reply.status).toBe(503);
  expect(reply.json['error']).toMatchObject({ type: 'server_error', code: 'overloaded' });
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
  await leave();
});

test('a count_tokens call takes a slot, and releases it', async () => {
  const count = () =>
    send(stand, {
      path: '/api/anthropic/v1/messages/count_tokens',
      headers: ['content-type', 'application/json', 'x-api-key', KEY, 'anthropic-version', '2023-06-01'],
      body: JSON.stringify(ask()),
    });
  for (let turn = 0; turn < 2; turn++) expect((await count()).status).toBe(200);
  const leave = await occupy();
  const { status, json } = await count();
  expect([status, json['error']]).toEqual([529, expect.objectContaining({ type: 'overloaded_error' })]);
  await leave();
  expect((await count()).status).toBe(200);
});

test('[E-18] partly: a silent upstream is 504 on the chat route', async () => {
  stand.simulator.arm('fault=stall-before-headers');
  const reply = await postChat(stand, ask());
  expect(reply.status).toBe(504);
  expect(reply.json['error']).toMatchObject({ type: 'server_error', code: 'timeout' });
});
