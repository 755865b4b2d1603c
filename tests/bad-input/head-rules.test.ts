/** S11 over raw sockets, on both listeners: wishes for another protocol, codings, versions, methods of probes, slow heads. */
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
  test('a wish for another protocol is ignored, and what follows it is answered in its turn', async () => {
    const wish = request('GET /livez HTTP/1.1', ...UPGRADE);
    const { replies, hung } = await sendRaw(at(), wish + READY + wish + READY, { replies: 4 });
    expect(hung).toBe(false);
    expect(replies.map(({ body }) => body)).toEqual(['ok\n', 'ready\n', 'ok\n', 'ready\n']);
  });

  test('in two pieces, the second after the first answer, nothing is lost either', async () => {
    const socket = connect(Number(new URL(at().url).port), '127.0.0.1').setEncoding('utf8');
    let heard = '';
    socket.on('data', (text) => {
      heard += text;
    });
    socket.write(request('GET /livez HTTP/1.1', ...UPGRADE));
    await waitUntil('the first answer', () => heard.includes('ok\n'), 3000);
    socket.write(READY);
    await waitUntil('the second answer', () => heard.includes('ready\n'), 3000);
    socket.destroy();
    expect(heard.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  });

  test.each(['gzip, chunked', 'chunked, chunked', 'identity', 'chunked\r\nTransfer-Encoding: chunked', 'gzip'])(
    'a body in the coding %j ends its connection',
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
  ])('a head with %s is refused', async (_what, bytes) => {
    const { replies, closed } = await sendRaw(at(), bytes + READY, { replies: 2 });
    expect({ statuses: replies.map(({ status }) => status), closed }).toEqual({ statuses: [400], closed: true });
  });

  test.each(['/livez', '/readyz', '/'])('%s answers to GET and HEAD only', async (path) => {
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

  test('a head that does not come to an end ends its connection', async () => {
    const { closed, hung } = await sendRaw(at(), 'GET /livez HTTP/1.1\r\nHost: g', { replies: 2 });
    expect({ closed, hung }).toEqual({ closed: true, hung: false });
  });

  test('a caller who asks before sending a body that is not wanted is never invited', async () => {
    const asking = request('POST /livez HTTP/1.1', 'Expect: 100-continue', `Content-Length: ${GOOD_BODY.length}`);
    const { replies, closed } = await sendRaw(at(), asking, { replies: 2 });
    expect({ statuses: replies.map(({ status }) => status), closed }).toEqual({ statuses: [405], closed: true });
  });

  test('a request of version 1.1 without a host is refused', async () => {
    const { replies } = await sendRaw(at(), 'GET /missing HTTP/1.1\r\n\r\n');
    expect(replies.map(({ status }) => status)).toEqual([400]);
  });
});

describe('a caller who asks before sending the body', () => {
  const EXPECT = { more: 'Expect: 100-continue' };

  test.each([
    ['a wrong key', { auth: 'Authorization: Bearer sk-wrong', ...EXPECT }],
    ['no key', { auth: '', ...EXPECT }],
  ])('with %s hears the refusal first, and nothing else', async (_what, head) => {
    const { replies, closed } = await sendRaw(stand, requestText(GOOD_BODY, head).slice(0, -GOOD_BODY.length), {
      replies: 2,
    });
    expect({ statuses: replies.map(({ status }) => status), closed }).toEqual({ statuses: [401], closed: true });
    expect(replies[0] && expectErrorForm(replies[0], 'chat')).toBeUndefined();
  });

  test('with a good key is invited once, and answered', async () => {
    const { replies } = await sendRaw(stand, requestText(GOOD_BODY, EXPECT), { replies: 2 });
    expect(replies.at(-1)?.status).toBe(200);
    const socket = connect(Number(new URL(stand.url).port), '127.0.0.1').setEncoding('utf8');
    let heard = '';
    socket.on('data', (text) => {
      heard += text;
    });
    socket.write(requestText(GOOD_BODY, EXPECT).slice(0, -GOOD_BODY.length));
    await waitUntil('the invitation', () => heard === 'HTTP/1.1 100 Continue\r\n\r\n', 3000);
    socket.write(GOOD_BODY);
    await waitUntil('the answer', () => heard.includes('HTTP/1.1 200 OK'), 3000);
    socket.destroy();
  });
});

test('what is wrong after a call does not get into the answer of that call', async () => {
  const body = JSON.stringify({ ...JSON.parse(GOOD_BODY), stream: true });
  const socket = connect(Number(new URL(stand.url).port), '127.0.0.1').setEncoding('utf8');
  let heard = '';
  let closed = false;
  socket.on('data', (text) => {
    heard += text;
  });
  socket.on('close', () => {
    closed = true;
  });
  socket.write(`${requestText(body)}GET / HTTP/1.1\r\nbroken head\r\n\r\n`);
  await waitUntil('the connection is closed', () => closed, 3000);
  expect(heard.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  expect(heard.indexOf('data: [DONE]')).toBeLessThan(heard.indexOf('HTTP/1.1 400'));
  expect(heard).toContain('data: [DONE]');
});

test('a call with a body that responseOptions for another protocol is answered, and says that it is the last', async () => {
  const call = requestText(GOOD_BODY, { line: `POST ${CHAT_PATH} HTTP/1.1`, more: UPGRADE.join('\r\n') });
  const { replies, closed } = await sendRaw(stand, call + READY, { replies: 2 });
  expect({ statuses: replies.map(({ status }) => status), closed }).toEqual({ statuses: [200], closed: true });
  expect(replies[0]?.head).toMatch(/connection: close/i);
});
