/** S11 over raw sockets, on both listeners: upgrade requests, transfer codings, versions, probe methods, slow headers. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStand, type Stand } from '../support/stand.ts';
import { waitUntil } from '../support/wait-until.ts';
import { CHAT_PATH, expectErrorForm, GOOD_BODY, requestText, sendRaw } from './raw-exchange.ts';

const HEADERS_MS = 300;

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ config: () => ({ timeouts: { headersMs: HEADERS_MS } }) });
});
afterAll(() => stand.close());

const listeners = [
  ['public', () => ({ url: stand.gateway.url })],
  ['admin', () => ({ url: stand.gateway.adminUrl })],
] as const;

const request = (line: string, ...headers: readonly string[]): string =>
  [line, 'Host: gateway', ...headers, '', ''].join('\r\n');
const UPGRADE = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'];
const READY = request('GET /readyz HTTP/1.1');

describe.each(listeners)('the %s listener', (_name, at) => {
  test('an upgrade request is answered without the upgrade, and the requests after it are answered in order', async () => {
    const upgrade = request('GET /livez HTTP/1.1', ...UPGRADE);
    const { replies, hung } = await sendRaw(at(), upgrade + READY + upgrade + READY, { replies: 4 });
    expect(hung).toBe(false);
    expect(replies.map(({ body }) => body)).toEqual(['ok\n', 'ready\n', 'ok\n', 'ready\n']);
  });

  test('an upgrade request and a later one on the same connection are both answered', async () => {
    const socket = connect(Number(new URL(at().url).port), '127.0.0.1').setEncoding('utf8');
    let received = '';
    socket.on('data', (text) => {
      received += text;
    });
    socket.write(request('GET /livez HTTP/1.1', ...UPGRADE));
    await waitUntil('the first answer', () => received.includes('ok\n'), 3000);
    socket.write(READY);
    await waitUntil('the second answer', () => received.includes('ready\n'), 3000);
    socket.destroy();
    expect(received.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  });

  test.each(['gzip, chunked', 'chunked, chunked', 'identity', 'chunked\r\nTransfer-Encoding: chunked', 'gzip'])(
    'a body with transfer coding %j closes its connection',
    async (coding) => {
      const bytes = `${request('POST /livez HTTP/1.1', `Transfer-Encoding: ${coding}`)}0\r\n\r\n${READY}`;
      const { replies, closed } = await sendRaw(at(), bytes, { replies: 2 });
      expect({ statuses: replies.map(({ status }) => status), closed }).toEqual({ statuses: [400], closed: true });
    },
  );

  test.each([
    ['no version', 'GET /livez\r\n\r\n'],
    ['version 0.9', request('GET /livez HTTP/0.9')],
    ['version 2.0', request('GET /livez HTTP/2.0')],
  ])('headers with %s are refused', async (_what, bytes) => {
    const { replies, closed } = await sendRaw(at(), bytes + READY, { replies: 2 });
    expect({ statuses: replies.map(({ status }) => status), closed }).toEqual({ statuses: [400], closed: true });
  });

  test.each(['/livez', '/readyz', '/'])('%s accepts only GET and HEAD', async (path) => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE']) {
      const { replies } = await sendRaw(at(), request(`${method} ${path} HTTP/1.1`, 'Content-Length: 0'));
      expect(replies[0], method).toMatchObject({ status: 405, head: expect.stringMatching(/allow: GET, HEAD/i) });
    }
  });

  test('HEAD of a probe has no body', async () => {
    const { replies, closed } = await sendRaw(at(), request('HEAD /livez HTTP/1.1', 'Connection: close'), {
      replies: 2,
    });
    expect({ replies: replies.length, closed }).toEqual({ replies: 0, closed: true });
  });

  test('headers that never end close their connection', async () => {
    const { closed, hung } = await sendRaw(at(), 'GET /livez HTTP/1.1\r\nHost: g', { replies: 2 });
    expect({ closed, hung }).toEqual({ closed: true, hung: false });
  });

  test('Expect: 100-continue gets no 100 where no body is wanted', async () => {
    const asking = request('POST /livez HTTP/1.1', 'Expect: 100-continue', `Content-Length: ${GOOD_BODY.length}`);
    const { replies, closed } = await sendRaw(at(), asking, { replies: 2 });
    expect({ statuses: replies.map(({ status }) => status), closed }).toEqual({ statuses: [405], closed: true });
  });

  test('an HTTP/1.1 request without a Host header is refused', async () => {
    const { replies } = await sendRaw(at(), 'GET /missing HTTP/1.1\r\n\r\n');
    expect(replies.map(({ status }) => status)).toEqual([400]);
  });
});

describe('Expect: 100-continue', () => {
  const EXPECT = { more: 'Expect: 100-continue' };

  test.each([
    ['a wrong key', { auth: 'Authorization: Bearer sk-wrong', ...EXPECT }],
    ['no key', { auth: '', ...EXPECT }],
  ])('Expect: 100-continue with %s gets only the refusal', async (_what, head) => {
    const { replies, closed } = await sendRaw(stand, requestText(GOOD_BODY, head).slice(0, -GOOD_BODY.length), {
      replies: 2,
    });
    expect({ statuses: replies.map(({ status }) => status), closed }).toEqual({ statuses: [401], closed: true });
    expect(replies[0] && expectErrorForm(replies[0], 'chat')).toBeUndefined();
  });

  test('Expect: 100-continue with a valid key gets one 100, and the answer', async () => {
    const { replies } = await sendRaw(stand, requestText(GOOD_BODY, EXPECT), { replies: 2 });
    expect(replies.at(-1)?.status).toBe(200);
    const socket = connect(Number(new URL(stand.url).port), '127.0.0.1').setEncoding('utf8');
    let received = '';
    socket.on('data', (text) => {
      received += text;
    });
    socket.write(requestText(GOOD_BODY, EXPECT).slice(0, -GOOD_BODY.length));
    await waitUntil('the invitation', () => received === 'HTTP/1.1 100 Continue\r\n\r\n', 3000);
    socket.write(GOOD_BODY);
    await waitUntil('the answer', () => received.includes('HTTP/1.1 200 OK'), 3000);
    socket.destroy();
  });
});

test('a malformed request after a call does not disturb the answer of that call', async () => {
  const body = JSON.stringify({ ...JSON.parse(GOOD_BODY), stream: true });
  const socket = connect(Number(new URL(stand.url).port), '127.0.0.1').setEncoding('utf8');
  let received = '';
  let closed = false;
  socket.on('data', (text) => {
    received += text;
  });
  socket.on('close', () => {
    closed = true;
  });
  socket.write(`${requestText(body)}GET / HTTP/1.1\r\nbroken head\r\n\r\n`);
  await waitUntil('the connection is closed', () => closed, 3000);
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  expect(received.indexOf('data: [DONE]')).toBeLessThan(received.indexOf('HTTP/1.1 400'));
  expect(received).toContain('data: [DONE]');
});

test('an upgrade request with a body is answered, with connection: close', async () => {
  const call = requestText(GOOD_BODY, { line: `POST ${CHAT_PATH} HTTP/1.1`, more: UPGRADE.join('\r\n') });
  const { replies, closed } = await sendRaw(stand, call + READY, { replies: 2 });
  expect({ statuses: replies.map(({ status }) => status), closed }).toEqual({ statuses: [200], closed: true });
  expect(replies[0]?.head).toMatch(/connection: close/i);
});
