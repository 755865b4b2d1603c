// S4, U24: a request counts from its headers on. While its body arrives it holds a slot and space for its bytes.
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { MEMORY_FACTOR } from '../../packages/gateway/src/kernel/memory.ts';
import { waitUntilIdle } from '../support/idle.ts';
import { imageConfig, imageHosts } from '../support/image-probe.ts';
import { send } from '../support/raw-request.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';
import { waitUntil } from '../support/wait-until.ts';

const PLACES = 3;
const MIB = 1_048_576;
/** Memory counted for each byte of a body. */
const FACTOR = MEMORY_FACTOR.body;

let stand: Stand;
const senders: Socket[] = [];
beforeAll(async () => {
  stand = await openStand({
    alsoHosts: imageHosts,
    config: (url) => ({
      ...imageConfig(url),
      limits: { inFlightPerKey: PLACES, memoryBytes: 8 * FACTOR * MIB, bodyBytes: 8 * MIB },
    }),
  });
});
afterAll(() => stand.close());
afterEach(async () => {
  for (const sender of senders.splice(0)) sender.destroy();
  await waitUntilIdle(stand);
});

const WAYS: readonly (readonly [string, string, string])[] = [
  ['chat', '/api/v1/chat/completions', 'application/json'],
  ['messages', '/api/anthropic/v1/messages', 'application/json'],
  ['counting tokens', '/api/anthropic/v1/messages/count_tokens', 'application/json'],
  ['a dry run', '/api/v1/route', 'application/json'],
  ['an image', '/api/v1/images/generations', 'application/json'],
  ['a form', '/api/v1/images/edits', 'multipart/form-data; boundary=b'],
];

/** Sends the headers and a part of the body, and never the rest. */
function beginToSend(path: string, type: string, framing: string, part: string | Buffer = ''): Socket {
  const { hostname, port } = new URL(stand.url);
  const socket = connect(Number(port), hostname);
  senders.push(socket);
  socket.on('error', () => {});
  const lines = [`POST ${path} HTTP/1.1`, 'host: gateway', `authorization: Bearer ${KEY}`, `content-type: ${type}`];
  socket.write([...lines, 'anthropic-version: 2023-06-01', framing, '', ''].join('\r\n'));
  socket.write(part);
  return socket;
}

const ask = (path: string, type: string, bytes = 10): ReturnType<typeof send> =>
  send(stand, {
    path,
    headers: ['authorization', `Bearer ${KEY}`, 'content-type', type, 'anthropic-version', '2023-06-01'],
    body: 'x'.repeat(bytes),
  });

describe.each(WAYS)('%s', (_what, path, type) => {
  test('a request holds its slot from its headers on, and one above the limit is refused before its body is read', async () => {
    for (let number = 0; number < PLACES; number++) beginToSend(path, type, 'content-length: 10000');
    await waitUntil('every place is taken', () => stand.gateway.gauges.takenSlots === PLACES);
    expect(stand.gateway.gauges.heldBytes).toBe(PLACES * 10_000 * FACTOR);
    expect((await ask(path, type)).status).toBe(429);
    senders.pop()?.destroy();
    await waitUntil('the place is given back', () => stand.gateway.gauges.takenSlots === PLACES - 1);
    // Its body is read, and then refused as invalid.
    expect((await ask(path, type)).status).toBe(400);
  });
});

describe('bytes', () => {
  const [, path, type] = WAYS[0]!;

  test('bytes of a declared length are reserved at once, and a body that does not fit is refused from its headers', async () => {
    beginToSend(path, type, `content-length: ${4 * MIB}`);
    await waitUntil('the bytes are taken', () => stand.gateway.gauges.heldBytes === 4 * FACTOR * MIB);
    const refused = await ask(path, type, MIB);
    expect(refused).toMatchObject({ status: 429, json: { error: { message: expect.stringContaining('memory') } } });
    expect(refused.headers['retry-after']).toBeDefined();
    expect(stand.gateway.gauges).toMatchObject({ takenSlots: 1, heldBytes: 4 * FACTOR * MIB });
  });

  test('bytes of an unknown length are reserved as they arrive', async () => {
    const chunk = `{"a":"${'x'.repeat(2 * MIB)}`;
    beginToSend(path, type, 'transfer-encoding: chunked', `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    await waitUntil('the bytes are taken', () => stand.gateway.gauges.heldBytes >= 2 * FACTOR * MIB);
    expect(stand.gateway.gauges.heldBytes).toBeLessThan(2.2 * FACTOR * MIB);
  });

  test('reserved bytes are released when the request ends, however it ends', async () => {
    await ask(path, type, MIB);
    const body = JSON.stringify({
      model: 'compatible/any',
      messages: [{ role: 'user', content: 'x'.repeat(100_000) }],
    });
    const headers = ['authorization', `Bearer ${KEY}`, 'content-type', 'application/json'];
    expect((await send(stand, { path, headers, body })).status).toBe(200);
    await waitUntilIdle(stand);
  });
});
