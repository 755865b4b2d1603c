/** Classification of connection failures, which decides whether the request may have been executed. */
import { describe, expect, test, vi } from 'vitest';
import { call } from '../../packages/gateway/src/upstream/call.fixture.ts';
import type { Dialer } from '../../packages/gateway/src/upstream/dialer.ts';
import { reply } from '../../packages/gateway/src/upstream/raw-server.fixture.ts';
import { SocketUpstream } from '../../packages/gateway/src/upstream/socket-upstream.ts';
import { UndiciUpstream } from '../../packages/gateway/src/upstream/undici-upstream.ts';
import { FakeNetwork } from './fake-network.ts';

const OPTIONS = { connectionsPerOrigin: 1, connectMs: 1000, keepAliveMs: 60_000, ca: [] };
const ORIGIN = { origin: 'http://upstream.test' };
const failure = (code: string): Error => Object.assign(new Error(code), { code });

describe.each([
  ['undici', UndiciUpstream],
  ['our own client', SocketUpstream],
])('%s', (_name, Client) => {
  test.each([
    ['ECONNREFUSED', 'upstream-overloaded', 'unsent'],
    ['ENOTFOUND', 'upstream-overloaded', 'unsent'],
    ['EHOSTUNREACH', 'upstream-overloaded', 'unsent'],
    ['UND_ERR_CONNECT_TIMEOUT', 'upstream-timeout', 'unsent'],
    // Undici reports such errors of requests on a connection in the same way.
    ['ETIMEDOUT', 'upstream-timeout', Client === SocketUpstream ? 'unsent' : undefined],
    ['CERT_HAS_EXPIRED', 'upstream-broken', Client === SocketUpstream ? 'unsent' : undefined],
  ])('the error %s while connecting is %s, %s', async (code, fault, how) => {
    const dial: Dialer = () => (_endpoint, done) => process.nextTick(() => done(failure(code), null));
    const upstream = new Client(OPTIONS, dial);
    const calls = [call(upstream, ORIGIN), call(upstream, ORIGIN)];
    for (const { over } of calls) expect(await over).toMatchObject({ fault, how, code });
    expect(upstream.open).toBe(0);
    await upstream.close();
  });

  test('a connection that breaks in the middle of an answer is broken, whether it was kept or new', async () => {
    for (const isKept of [false, true]) {
      const network = new FakeNetwork();
      const upstream = new Client(OPTIONS, network.dial);
      if (isKept) {
        const first = call(upstream, ORIGIN);
        await vi.waitFor(() => expect(network.last.sent).not.toBe(''));
        network.last.feed(Buffer.from(reply('x')));
        await first.over;
        network.last.sent = '';
      }
      const { heard, over } = call(upstream, ORIGIN);
      await vi.waitFor(() => expect(network.last.sent).not.toBe(''));
      network.last.feed(Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello'));
      await vi.waitFor(() => expect(heard.text).toBe('hello'));
      network.last.destroy(failure('ECONNRESET'));
      expect(await over).toMatchObject({ fault: 'upstream-broken', how: undefined, code: 'ECONNRESET' });
      expect(network.sockets).toHaveLength(1);
      await upstream.close();
    }
  });
});

test.each(['EHOSTUNREACH', 'ENETUNREACH', 'ECONNREFUSED'])(
  'the error %s after the request was sent does not count as not sent',
  async (code) => {
    const network = new FakeNetwork();
    const upstream = new SocketUpstream(OPTIONS, network.dial);
    const { over } = call(upstream, ORIGIN);
    await vi.waitFor(() => expect(network.last.sent).not.toBe(''));
    network.last.destroy(failure(code));
    expect(await over).toMatchObject({ fault: 'upstream-broken', how: undefined });
    await upstream.close();
  },
);

test('an idle connection is closed by the sweep, and not reused after its keep-alive timeout', async () => {
  let nowMs = 0;
  let sweep = (): void => undefined;
  const stop = vi.fn();
  const network = new FakeNetwork();
  const upstream = new SocketUpstream(OPTIONS, network.dial, {
    nowMs: () => nowMs,
    start: (run) => {
      sweep = run;
      return stop;
    },
  });
  const answered = async (): Promise<void> => {
    const { over } = call(upstream, ORIGIN);
    await vi.waitFor(() => expect(network.last.sent).not.toBe(''));
    network.last.feed(Buffer.from(reply('x')));
    expect((await over).text).toBe('x');
    network.last.sent = '';
  };
  await answered();
  nowMs = OPTIONS.keepAliveMs - 1;
  sweep();
  await answered();
  expect(network.sockets).toHaveLength(1);
  nowMs += OPTIONS.keepAliveMs;
  // The sweep is late.
  const next = call(upstream, ORIGIN);
  await vi.waitFor(() => expect(network.sockets).toHaveLength(2));
  expect(network.sockets[0]?.destroyed).toBe(true);
  await vi.waitFor(() => expect(network.last.sent).not.toBe(''));
  network.last.feed(Buffer.from(reply('x')));
  await next.over;
  nowMs += OPTIONS.keepAliveMs;
  sweep();
  expect(network.sockets[1]?.destroyed).toBe(true);
  await upstream.close();
  expect(stop).toHaveBeenCalledOnce();
});
