import { describe, expect, test } from 'vitest';
import { configOf, problemsOf } from '../load.fixture.ts';

describe('network', () => {
  test.each([
    ['listen: { port: 5000 }\nadmin: { port: 5000 }', 'admin.port'],
    ['mounts: { chat: [api] }', 'mounts.chat[0]'],
    ['mounts: { chat: [/api/v1/] }', 'mounts.chat[0]'],
    ['mounts: { chat: [/api/../v1] }', 'mounts.chat[0]'],
    ['mounts: { chat: [/x, /x] }', 'mounts.chat[1]'],
    ['blobs: { mount: /v1 }', 'blobs.mount'],
    ['mounts: { chat: [/x], messages: [/x/y] }', 'mounts.messages[0]'],
    ['mounts: { chat: [/x/y], messages: [/x] }', 'mounts.messages[0]'],
    ['cors: { origins: ["https://a.example/"] }', 'cors.origins[0]'],
    ['media: { fetch: { alsoAddresses: [10.0.0.0/33] } }', 'media.fetch.alsoAddresses[0]'],
    ['media: { fetch: { alsoAddresses: [proxy.example] } }', 'media.fetch.alsoAddresses[0]'],
    ['listen: { trustedProxies: [10.0.0.0/33] }', 'listen.trustedProxies[0]'],
    ['listen: { trustedProxies: [proxy.example] }', 'listen.trustedProxies[0]'],
    ['trustedProxies: [10.0.0.0/8]', 'trustedProxies'],
    ['upstream: { proxy: "socks5://a:1" }', 'upstream.proxy'],
    ['upstream: { ca: ["not a certificate"] }', 'upstream.ca[0]'],
  ])('refuses %s', (text, path) => {
    expect(problemsOf(`keys: []\n${text}`).map((problem) => problem.path)).toEqual([path]);
  });

  test('accepts valid settings', () => {
    const config = configOf(
      'keys: []\nlisten: { port: 0 }\nadmin: { port: 0 }\nmounts: { chat: [/x/v1, /x/v11] }\n' +
        'cors: { origins: ["*", "http://localhost:3000"] }\n' +
        'media: { fetch: { alsoAddresses: [10.0.0.0/8, "fd00::/8", 192.0.2.7] } }\n' +
        'upstream: { proxy: "http://proxy:3128" }',
    );
    expect(config.mounts.chat).toEqual(['/x/v1', '/x/v11']);
    expect(config.upstream.proxy).toBe('http://proxy:3128');
  });

  test('has connections for all requests in flight, unless configured otherwise', () => {
    const connections = (text: string): number => configOf(`keys: []\n${text}`).upstream.connectionsPerOrigin;
    expect(connections('limits: { inFlight: 1234 }')).toBe(1234);
    expect(connections('limits: { inFlight: 1234 }\nupstream: { connectionsPerOrigin: 7 }')).toBe(7);
  });
});
