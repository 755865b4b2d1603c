import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../program.ts';
import { fakeTerminal } from '../terminal.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'health-'));
const file = join(folder, 'trivium.json');
let server: Server;
let isReady = true;

beforeAll(async () => {
  server = createServer(({ url }, response) => {
    response
      .writeHead(url === '/readyz' && isReady ? 200 : 503, { connection: 'close' })
      .end(isReady ? 'ready\n' : 'draining\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  // Secrets are not read: a health check does not need them.
  const keys = [{ name: 'app', secret: 'env:NOT_SET_HERE' }];
  writeFileSync(file, JSON.stringify({ listen: { host: '0.0.0.0', port }, keys }));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const health = async () => {
  const terminal = fakeTerminal();
  await runCommandLine(['health', '--config', file], terminal);
  return { exitCode: terminal.exitCode, output: [...terminal.output, ...terminal.errors].join('\n') };
};

test('a ready gateway is exit code 0', async () => {
  expect(await health()).toEqual({ exitCode: 0, output: '200 ready' });
});

test('a gateway that is not ready is exit code 1, with its reason', async () => {
  isReady = false;
  expect(await health()).toEqual({ exitCode: 1, output: '503 draining' });
});

test('a gateway that does not answer is exit code 1, with its address', async () => {
  await new Promise((resolve) => server.close(resolve));
  const { exitCode, output } = await health();
  expect(exitCode).toBe(1);
  expect(output).toMatch(/^trivium: http:\/\/127\.0\.0\.1:\d+\/readyz does not answer: .*ECONNREFUSED/);
});
