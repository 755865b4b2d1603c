import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { faultOf } from '@trivium/protocol/canonical';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Resolve } from './dialer.ts';
import { type FetchSettings, GuardedFetcher } from './media-fetcher.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
);
const PDF = Buffer.from('%PDF-1.4\n%%EOF\n');

let seen: string[] = [];
const servers: Server[] = [];
/** The same port on an address that is allowed in these tests, and on one that never is. */
let port = 0;
const answer: RequestListener = (request, response) => {
  const where = `${request.socket.localAddress}${request.url}`;
  seen.push(where);
  const [, path = '', argument = ''] = (request.url ?? '').split('/');
  const send = (body: Buffer, headers: Record<string, string> = {}): void => {
    response.writeHead(200, headers).end(body);
  };
  if (path === 'to') response.writeHead(302, { location: decodeURIComponent(argument) }).end();
  else if (path === 'png') send(PNG, { 'content-type': 'text/html' });
  else if (path === 'pdf') send(PDF);
  else if (path === 'html') send(Buffer.from('<html>'), { 'content-type': 'image/png' });
  else if (path === 'missing') response.writeHead(404).end(PNG);
  else if (path === 'zipped') send(gzipSync(PNG), { 'content-encoding': 'gzip' });
  else if (path === 'large') send(Buffer.concat([PNG, Buffer.alloc(Number(argument))]));
  else if (path === 'endless') {
    response.writeHead(200);
    const timer = setInterval(() => response.write(PNG), 1);
    response.on('close', () => clearInterval(timer));
  } else if (path === 'silent') response.writeHead(200).write(PNG);
  else response.destroy();
};

beforeAll(async () => {
  for (const host of ['127.0.0.1', '127.0.0.2']) {
    const server = createServer(answer);
    server.listen(port, host);
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
    servers.push(server);
  }
});
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

const settings = (own: Partial<FetchSettings> = {}): FetchSettings => ({
  schemes: ['http', 'https'],
  ports: [80, 443, port],
  alsoAddresses: ['127.0.0.1'],
  maxBytes: 1000,
  maxRedirects: 3,
  maxAtOnce: 2,
  timeoutMs: 2000,
  ...own,
});
const NAMES: Readonly<Record<string, string[]>> = {
  'good.example': ['127.0.0.1'],
  'private.example': ['127.0.0.2'],
  'metadata.example': ['169.254.169.254'],
  'mixed.example': ['127.0.0.1', '127.0.0.2'],
  'six.example': ['::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'nowhere.example': [],
};
const resolve: Resolve = async (name) => {
  const found = NAMES[name.toLowerCase()];
  if (found === undefined) throw new Error('ENOTFOUND');
  return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
};
const fetcher = (own: Partial<FetchSettings> = {}, lookup = resolve): GuardedFetcher =>
  new GuardedFetcher(settings(own), [], lookup);
const at = (path: string, host = '127.0.0.1'): string => `http://${host}:${port}/${path}`;
async function outcome(url: string, own: Partial<FetchSettings> = {}, kind: 'image' | 'document' = 'image') {
  seen = [];
  try {
    return (await fetcher(own).fetch(url, kind)).mimeType;
  } catch (error) {
    return faultOf(error).message;
  }
}
const REFUSED = "'block.media' holds image input by URL, which could not be fetched.";

describe('what is fetched', () => {
  test('a file, by what its bytes say it is', async () => {
    const fetched = await fetcher().fetch(at('png'), 'image');
    expect(fetched).toEqual({ mimeType: 'image/png', base64: PNG.toString('base64') });
    expect(await outcome(at('pdf'), {}, 'document')).toBe('application/pdf');
  });
  test('by name, at the address that was checked, with one request', async () => {
    let asked = 0;
    const rebinding: Resolve = async () => [{ address: asked++ === 0 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
    seen = [];
    await fetcher({}, rebinding).fetch(at('png', 'rebinding.example'), 'image');
    expect({ asked, seen }).toEqual({ asked: 1, seen: ['127.0.0.1/png'] });
  });
  test('after redirects, up to their number', async () => {
    const once = at(`to/${encodeURIComponent(at('png'))}`);
    const twice = at(`to/${encodeURIComponent(once)}`);
    expect(await outcome(twice, { maxRedirects: 2 })).toBe('image/png');
    expect(await outcome(twice, { maxRedirects: 1 })).toBe(REFUSED);
    expect(await outcome(at('to/%2Fpng'))).toBe('image/png');
  });
});

describe('what is not', () => {
  test.each(['html', 'missing', 'zipped', 'large/1000', 'endless', 'reset', 'pdf'])('%s', async (path) => {
    expect(await outcome(at(path))).toBe(REFUSED);
    expect(seen).toHaveLength(1);
  });
  test('what takes too long', async () => {
    expect(await outcome(at('silent'), { timeoutMs: 200 })).toBe(REFUSED);
  });
  test('more at once than allowed', async () => {
    const one = fetcher({ maxAtOnce: 1, timeoutMs: 300 });
    const slow = one.fetch(at('silent'), 'image');
    await expect(one.fetch(at('png'), 'image')).rejects.toMatchObject({ fault: { kind: 'overloaded' } });
    await expect(slow).rejects.toThrow('could not be fetched');
    expect(one.running).toBe(0);
    expect((await one.fetch(at('png'), 'image')).mimeType).toBe('image/png');
  });

  const bare = (host: string): string => `http://${host}:PORT/png`;
  const CORPUS: readonly string[] = [
    ...[
      '127.0.0.2',
      '127.2',
      '2130706434',
      '0x7f000002',
      '0x7f.0.0.2',
      '0177.0.0.2',
      '017700000002',
      '127.0.2',
      '0',
      '0.0.0.0',
    ].map(bare),
    ...['10.0.0.1', '169.254.169.254', '192.168.1.1', '100.64.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'].map(
      bare,
    ),
    ...[
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::127.0.0.1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
      '[fe80::1]',
      '[fd00::1]',
      '[fec0::1]',
      '[2001:db8::1]',
    ].map(bare),
    ...[
      'private.example',
      'metadata.example',
      'mixed.example',
      'six.example',
      'mapped.example',
      'nowhere.example',
      'unknown.example',
      'PRIVATE.example',
      'private。example',
      'ｐrivate.example',
      '①②⑦.0.0.2',
      'localhost',
    ].map(bare),
    ...[
      'file:///etc/passwd',
      'gopher://127.0.0.1:PORT/',
      'ftp://good.example/',
      'data:image/png;base64,AAAA',
      'javascript:1',
      'http://',
      '//good.example/png',
      'good.example/png',
      '',
    ],
    ...[
      'http://user@good.example:PORT/png',
      'http://user:word@good.example:PORT/png',
      'http://127.0.0.1:22/png',
      'http://good.example:8080/',
      'http://good.example:PORT@private.example:PORT/png',
      'http://private.example:PORT\\@good.example:PORT/png',
      'http://private.example:PORT#@good.example:PORT/png',
    ],
    `http://good.example:PORT/${'x'.repeat(5000)}`,
    ...[
      'http://127.0.0.2:PORT/png',
      'http://169.254.169.254/latest/meta-data',
      'http://private.example:PORT/png',
      'http://[::1]:PORT/',
      'file:///etc/passwd',
      '//127.0.0.2:PORT/png',
      'http://2130706434:PORT/png',
      'http://good.example:22/',
    ].map((to) => `http://good.example:PORT/to/${to}`),
  ];
  test.each(CORPUS)('%s', async (template) => {
    const url = template
      .replace(/\/to\/(.*)$/, (_, to: string) => `/to/${encodeURIComponent(to.replaceAll('PORT', String(port)))}`)
      .replaceAll('PORT', String(port));
    expect(await outcome(url)).toBe(REFUSED);
    expect(seen.filter((where) => !where.includes('/to/'))).toEqual([]);
  });
  test('plain http, where only https is allowed', async () => {
    expect(await outcome(at('png'), { schemes: ['https'] })).toBe(REFUSED);
    expect(seen).toEqual([]);
  });
  test('loopback, where nothing but public addresses is allowed', async () => {
    expect(await outcome(at('png'), { alsoAddresses: [] })).toBe(REFUSED);
    expect(seen).toEqual([]);
  });
});
