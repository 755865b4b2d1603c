import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fakeTerminal } from '../terminal.fixture.ts';
import { consoleBuild } from './dev-console.ts';

let status = 503;
const server = createServer((_request, response) => void response.writeHead(status).end());
const checkout = mkdtempSync(join(tmpdir(), 'trivium-checkout-'));
const path = process.env['PATH'];
let url = '';

/** An npm that ends with this code. */
function npmEnding(code: number): void {
  writeFileSync(join(checkout, 'npm'), `#!/bin/sh\nexit ${code}\n`);
  chmodSync(join(checkout, 'npm'), 0o755);
}

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  mkdirSync(join(checkout, 'packages/console'), { recursive: true });
  writeFileSync(join(checkout, 'packages/console/package.json'), '{}');
  process.env['PATH'] = `${checkout}:${path}`;
});
afterAll(() => {
  process.env['PATH'] = path;
  server.close();
  rmSync(checkout, { recursive: true });
});

test('a console that is there needs no word', async () => {
  status = 200;
  expect(await consoleBuild(url, fakeTerminal(), checkout)).toEqual({ note: '' });
  status = 503;
});

test('without a terminal, or outside a checkout, dev says how to build it', async () => {
  const said = { note: `  (not built: npm run console:build in ${checkout})` };
  expect(await consoleBuild(url, fakeTerminal(), checkout)).toEqual(said);
  const elsewhere = await consoleBuild(url, { ...fakeTerminal(), isInteractive: true }, '/nonexistent');
  expect(elsewhere).toEqual({ note: '  (not built: npm run console:build in /nonexistent)' });
});

test('at a terminal dev builds it, and says when the link works or what failed', async () => {
  const terminal = fakeTerminal();
  const build = await consoleBuild(url, { ...terminal, isInteractive: true }, checkout);
  expect(build.note).toMatch(/being built/);
  npmEnding(0);
  build.start?.();
  await vi.waitFor(() => expect(terminal.output.join()).toMatch(/the link above works now/));
  npmEnding(1);
  build.start?.();
  await vi.waitFor(() => expect(terminal.errors.join()).toMatch(/could not be built: npm run console:build in/));
});
