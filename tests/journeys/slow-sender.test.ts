// A caller that sends headers or a body byte by byte gets an error and is disconnected.
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntilIdle } from '../support/idle.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';
import { waitUntil } from '../support/wait-until.ts';

const PATIENCE_MS = 300;
const BYTE_EVERY_MS = 50;
const BODY = JSON.stringify({ model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hello' }] });
const HEAD = [
  'POST /api/v1/chat/completions HTTP/1.1',
  'host: a',
  'content-type: application/json',
  `content-length: ${BODY.length}`,
  `authorization: Bearer ${KEY}`,
  '',
  '',
].join('\r\n');

const FORM = '--b\r\ncontent-disposition: form-data; name="image"; filename="a.png"\r\n\r\nabc\r\n--b--\r\n';
const FORM_HEAD = [
  'POST /api/v1/images/edits HTTP/1.1',
  'host: gateway',
  'content-type: multipart/form-data; boundary=b',
  `content-length: ${FORM.length}`,
  `authorization: Bearer ${KEY}`,
  '',
  '',
].join('\r\n');

let strict: Stand;
let lenient: Stand;
beforeAll(async () => {
  const timeouts = { headersMs: PATIENCE_MS, bodyGraceMs: PATIENCE_MS };
  strict = await openStand({ config: () => ({ timeouts, limits: { bodyBytesPerSecond: 1000 } }) });
  lenient = await openStand({ config: () => ({ timeouts, limits: { bodyBytesPerSecond: 1 } }) });
});
afterAll(() => Promise.all([strict.close(), lenient.close()]));

type Caller = { readonly socket: Socket; received: string; closed: boolean };

/** Sends the first part at once and the rest byte by byte. */
function drip({ url }: Stand, atOnce: string, slowly: string, everyMs = BYTE_EVERY_MS): Caller {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const caller: Caller = { socket, received: '', closed: false };
  let at = 0;
  const dripping = setInterval(() => {
    if (socket.writable && at < slowly.length) socket.write(slowly.charAt(at++));
  }, everyMs);
  socket.setEncoding('utf8').on('data', (text) => {
    caller.received += text;
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    clearInterval(dripping);
    caller.closed = true;
  });
  socket.write(atOnce);
  return caller;
}

describe('a slow sender gets an error and is disconnected', () => {
  test.each([
    ['head', HEAD.slice(0, 40), HEAD.slice(40)],
    ['body', HEAD, BODY],
    ['body that never begins', HEAD, ''],
    // S7: the minimum rate applies to forms, too.
    ['form', FORM_HEAD, FORM],
  ])('a slow sender is disconnected: %s', async (_part, atOnce, slowly) => {
    const caller = drip(strict, atOnce, slowly);
    await waitUntil('the connection is closed', () => caller.closed, 10_000);
    expect(caller.received).toMatch(/^HTTP\/1\.1 400 /);
    expect(caller.received).toContain('The request took too long to arrive.');
    expect(strict.simulator.truth.read()).toHaveLength(0);
    await waitUntilIdle(strict);
  });
});

test('a body that arrives slowly but steadily is accepted', async () => {
  const caller = drip(lenient, HEAD + BODY.slice(0, 40), BODY.slice(40), 2 * BYTE_EVERY_MS * (PATIENCE_MS / 1000));
  await waitUntil('the answer', () => caller.received.includes('"finish_reason"'), 15_000);
  expect(caller.received).toMatch(/^HTTP\/1\.1 200 /);
  caller.socket.destroy();
});
