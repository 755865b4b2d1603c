import { getCACertificates, rootCertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { call } from '../../packages/gateway/src/upstream/call.fixture.ts';
import { openRawServer, reply, TEST_CERTIFICATE } from '../../packages/gateway/src/upstream/raw-server.fixture.ts';
import { UndiciUpstream } from '../../packages/gateway/src/upstream/undici-upstream.ts';
import { openForwardProxy } from '../support/forward-proxy.ts';

const usual = getCACertificates('default');
afterEach(() => setDefaultCACertificates(usual));

test.each([
  ['of Node stay trusted beside those an operator adds', [TEST_CERTIFICATE], rootCertificates.slice(0, 1)],
  ['that an operator adds are trusted', usual, [TEST_CERTIFICATE]],
])('behind an outbound proxy, certificate authorities %s', async (_which, ofNode, ca) => {
  setDefaultCACertificates([...ofNode]);
  const server = await openRawServer(({ socket }) => socket.write(reply('x')), 'https');
  const proxy = await openForwardProxy();
  const limits = { connectionsPerOrigin: 1, connectMs: 10_000, keepAliveMs: 60_000 };
  const upstream = new UndiciUpstream({ ...limits, ca, proxy: proxy.url });
  expect((await call(upstream, { origin: server.origin }).over).text).toBe('x');
  expect(proxy.used).toBe(1);
  await upstream.close();
  await proxy.close();
  await server.close();
});
