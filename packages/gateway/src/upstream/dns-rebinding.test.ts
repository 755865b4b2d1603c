// S12: DNS rebinding, over real DNS packets: a connection reaches the address that was checked, or none. 127.0.0.1
// plays the public address, 127.0.0.2 the private one.
import { createSocket, type Socket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ClipStream } from './clip-stream.ts';
import type { Resolve } from './dialer.ts';
import { GuardedClient, type GuardedClientSettings } from './guarded-client.ts';
import { GuardedFetcher } from './media-fetcher.ts';

const PUBLIC = '127.0.0.1';
const PRIVATE = '127.0.0.2';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
);

let nameServer: Socket;
const servers: Server[] = [];
let port = 0;
let resolve: Resolve;
/** The name server's answers to the first query, the second, …; the last one repeats. */
let answers: readonly (readonly string[])[] = [];
let asked = 0;
let reached: string[] = [];

/** The query as it came, with an address record for each address, TTL 0. */
function answerTo(question: Buffer, addresses: readonly string[]): Buffer {
  const head = Buffer.alloc(12);
  question.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(addresses.length, 6);
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  );
  const questionEnd = question.indexOf(0, 12) + 5;
  return Buffer.concat([head, question.subarray(12, questionEnd), ...records]);
}

beforeAll(async () => {
  nameServer = createSocket('udp4');
  nameServer.on('message', (question, peer) => {
    const addresses = answers[Math.min(asked++, answers.length - 1)] ?? [];
    nameServer.send(answerTo(question, addresses), peer.port, peer.address);
  });
  nameServer.bind(0, PUBLIC);
  await once(nameServer, 'listening');
  const resolver = new dns.Resolver();
  resolver.setServers([`${PUBLIC}:${nameServer.address().port}`]);
  resolve = async (hostname) => (await resolver.resolve4(hostname)).map((address) => ({ address, family: 4 }));
  for (const host of [PUBLIC, PRIVATE]) {
    const server = createServer((request, response) => {
      reached.push(`${request.socket.localAddress} ${request.method}`);
      request.resume();
      if (request.url === '/again') response.writeHead(302, { location: `http://moving.example:${port}/file` }).end();
      else response.writeHead(200, { 'content-type': 'image/png' }).end(PNG);
    });
    server.listen(port, host);
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
    servers.push(server);
  }
});
afterAll(() => {
  nameServer.close();
  for (const server of servers) server.close();
});
beforeEach(() => {
  [asked, reached] = [0, []];
});

const settings = (maxRedirects: number): GuardedClientSettings => ({
  schemes: ['http'],
  ports: [port],
  alsoAddresses: [PUBLIC],
  maxRedirects,
  timeoutMs: 5_000,
});
const urlOf = (path: string): string => `http://moving.example:${port}${path}`;
const fetcher = (): GuardedFetcher =>
  new GuardedFetcher({ ...settings(3), maxBytes: 10_000, maxAtOnce: 4 }, [], resolve);

/** All clients for addresses from callers and upstreams, built as the gateway builds them. */
const WAYS: readonly [string, (url: string) => Promise<unknown>][] = [
  ['media by URL', (url) => fetcher().fetch(url, 'image')],
  [
    'webhooks',
    async (url) => {
      const door = new GuardedClient(settings(0), [], resolve);
      const signal = AbortSignal.timeout(5_000);
      const opened = await door.ask(url, { method: 'POST', headers: {}, body: '{}', signal });
      if (opened.answer.statusCode !== 200) throw new Error(`status ${opened.answer.statusCode}`);
      await opened.close();
    },
  ],
  [
    'video results',
    async (url) => {
      const waits = { timeoutMs: 5_000, silenceMs: 5_000, connectMs: 5_000 };
      const clips = new ClipStream({ ...waits, maxBytes: 10_000, ca: [] }, fetcher());
      const { content } = await clips.open(url, { origin: 'http://maker.example', headers: [] });
      await text(content);
    },
  ],
];

describe.each(WAYS)('%s', (_, ask) => {
  test('public at the first lookup, private at the second: connects to the checked address, after one lookup', async () => {
    answers = [[PUBLIC], [PRIVATE]];
    await ask(urlOf('/file'));
    expect({ asked, at: reached.map((each) => each.split(' ')[0]) }).toEqual({ asked: 1, at: [PUBLIC] });
  });

  test('private at the next request: refused', async () => {
    answers = [[PUBLIC], [PRIVATE]];
    await ask(urlOf('/file'));
    await expect(ask(urlOf('/file'))).rejects.toThrow();
    expect(asked).toBe(2);
    expect(reached.some((each) => each.startsWith(PRIVATE))).toBe(false);
  });

  test('private after a redirect to the same name: refused', async () => {
    answers = [[PUBLIC], [PRIVATE]];
    await expect(ask(urlOf('/again'))).rejects.toThrow();
    expect(reached).toHaveLength(1);
    expect(reached[0]).toContain(PUBLIC);
  });

  test.each([[[[PUBLIC, PRIVATE]]], [[[PRIVATE, PUBLIC]]], [[[PRIVATE]]]])(
    '%j from the start: refused',
    async (given) => {
      answers = given;
      await expect(ask(urlOf('/file'))).rejects.toThrow();
      expect(reached).toEqual([]);
    },
  );
});
