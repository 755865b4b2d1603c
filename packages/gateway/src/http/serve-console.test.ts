import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { consoleServer } from './serve-console.ts';

const INDEX = '<meta property="csp-nonce" nonce="__CSP_NONCE__"><script src="/console/assets/a.js"></script>';
const SCRIPT = 'console.log("console");'.repeat(20);

let root: string;
let server: Server;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'trivium-console-'));
  const folder = join(root, 'console');
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(root, 'secret.txt'), 'secret');
  writeFileSync(join(folder, 'index.html'), INDEX);
  writeFileSync(join(folder, 'icon.svg'), '<svg/>');
  writeFileSync(join(folder, 'assets', 'a.js'), SCRIPT);
  writeFileSync(join(folder, 'assets', 'a.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(join(folder, 'assets', 'a.js.gz'), gzipSync(SCRIPT));
  const [built, absent] = [consoleServer(folder), consoleServer(join(root, 'none'))];
  server = createServer((request, response) => {
    const serve = request.headers['x-absent'] === undefined ? built : absent;
    void serve(request, response, request.url ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.close();
  rmSync(root, { recursive: true });
});

type Reply = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer };

/** Sends the path as it is: `fetch` would resolve its dots. */
const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const { port } = server.address() as AddressInfo;
    httpRequest({ port, host: '127.0.0.1', path, method, headers }, (reply) => {
      const pieces: Buffer[] = [];
      reply.on('data', (piece: Buffer) => pieces.push(piece));
      reply.on('end', () =>
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body: Buffer.concat(pieces) }),
      );
    })
      .on('error', reject)
      .end();
  });

describe('the page', () => {
  test('has a strict content security policy with a new nonce each time', async () => {
    const [one, other] = [await get('/console/'), await get('/console/')];
    const policy = String(one.headers['content-security-policy']);
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
    expect(policy).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'`,
    );
    expect(one.body.toString()).toBe(INDEX.replace('__CSP_NONCE__', nonce));
    expect(nonce).toHaveLength(24);
    expect(other.headers['content-security-policy']).not.toBe(policy);
  });

  test('is not cached, is isolated from windows of other sites, and sends no referrer', async () => {
    const { headers } = await get('/console/');
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
  });

  test.each(['/console/requests', '/console/models/openai/gpt-5.4', '/console/index.html', '/console/sign-in'])(
    'answers at %s',
    async (path) => {
      const { status, headers } = await get(path);
      expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    },
  );

  test.each(['/', '/console'])('is the target of the redirect from %s', async (path) => {
    const { status, headers } = await get(path);
    expect([status, headers.location]).toEqual([302, '/console/']);
  });
});

describe('files', () => {
  test('with a hash in their name are cached for a year', async () => {
    const { status, headers, body } = await get('/console/assets/a.js');
    expect([status, headers['cache-control'], headers['content-type']]).toEqual([
      200,
      'public, max-age=31536000, immutable',
      'text/javascript; charset=utf-8',
    ]);
    expect(body.toString()).toBe(SCRIPT);
  });

  test('without a hash are revalidated', async () =>
    expect((await get('/console/icon.svg')).headers['cache-control']).toBe('no-cache'));

  test.each([
    ['gzip, deflate, br', 'br', brotliCompressSync(SCRIPT)],
    ['gzip', 'gzip', gzipSync(SCRIPT)],
  ])('are compressed for clients that accept %s', async (accepted, coding, bytes) => {
    const { headers, body } = await get('/console/assets/a.js', { 'accept-encoding': accepted });
    expect([headers['content-encoding'], headers['vary']]).toEqual([coding, 'accept-encoding']);
    expect(body.equals(bytes)).toBe(true);
  });

  test('answer HEAD with their own headers', async () => {
    const { headers, body } = await get('/console/assets/a.js', {}, 'HEAD');
    expect([headers['content-length'], body.length]).toEqual([String(SCRIPT.length), 0]);
  });

  test.each([
    '/console/assets/none.js',
    '/console/assets/../../secret.txt',
    '/console/../secret.txt',
    '/console/..%2fsecret.txt',
    '/console/assets/%2e%2e/index.html',
    '/console/assets/a.js.br',
    '/console/favicon.ico',
    '/console//etc/passwd.txt/../../x.y',
  ])('outside of the build are not found: %s', async (path) => {
    const { status, body } = await get(path);
    expect(body.toString()).not.toContain('secret');
    expect([404, 200]).toContain(status);
    if (status === 200) expect(body.toString()).toContain('csp-nonce');
  });

  test.each(['/console/assets/none.js', '/console/../secret.txt', '/console/favicon.ico'])(
    'that do not exist are 404: %s',
    async (path) => expect((await get(path)).status).toBe(404),
  );
});

test('a checkout without the build says how to build', async () => {
  const { status, headers, body } = await get('/console/', { 'x-absent': '1' });
  expect([status, headers['content-type']]).toEqual([503, 'text/plain; charset=utf-8']);
  expect(body.toString()).toContain('npm run console:build');
});
