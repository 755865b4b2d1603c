import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ClipStream } from './clip-stream.ts';

const CREDENTIAL = ['x-goog-api-key', 'secret'];

let server: Server;
let origin = '';
/** The requested paths and the credentials they carried. */
let seen: string[] = [];
let strangers: string[] = [];

beforeEach(async () => {
  seen = [];
  strangers = [];
  server = createServer((request, response) => {
    const { url = '', headers } = request;
    seen.push(`${url} ${headers['x-goog-api-key'] ?? 'none'}`);
    if (url === '/round') response.writeHead(302, { location: url }).end();
    else if (url.startsWith('/to/'))
      response.writeHead(302, { location: decodeURIComponent(url.slice(4)) }).end('moved');
    else if (headers['x-goog-api-key'] === undefined) response.writeHead(403).end();
    else response.end('a clip');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function* guarded() {
  yield Buffer.from('a clip of a stranger');
}

async function read(path: string): Promise<string> {
  const settings = { maxBytes: 1000, timeoutMs: 5000, silenceMs: 5000, connectMs: 5000, ca: [] };
  const stream = new ClipStream(settings, {
    open: async (url) => {
      strangers.push(url);
      return { declaredType: undefined, content: guarded() };
    },
  });
  const { content, close } = await stream.open(`${origin}${path}`, { origin, headers: CREDENTIAL });
  const whole = await buffer(content);
  close();
  return whole.toString();
}

test('a redirect to the same host carries the credential', async () => {
  expect(await read(`/to/${encodeURIComponent('/download/clip?alt=media')}`)).toBe('a clip');
  expect(seen.at(-1)).toBe('/download/clip?alt=media secret');
  expect(strangers).toEqual([]);
});

test('a redirect to another host carries no credential and passes the guard', async () => {
  expect(await read(`/to/${encodeURIComponent('https://cdn.example/clip')}`)).toBe('a clip of a stranger');
  expect(strangers).toEqual(['https://cdn.example/clip']);
});

test('a redirect loop is given up', async () => {
  await expect(read('/round')).rejects.toThrow('too many redirects');
  expect(seen).toHaveLength(4);
});
