// `npm run conformance:sdk` as a user runs it: a table and 0 where all is well, reasons and 1 where something is broken.
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KEY, openStand, type Stand } from '../support/stand.ts';

/** A process of its own for each run, and all SDKs to load. */
const RUNS_WITHIN_MS = 120_000;

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

type Run = { readonly code: number; readonly text: string };
const SCRIPT = new URL('../../scripts/conformance-sdk/run.ts', import.meta.url).pathname;
const run = (...given: string[]): Promise<Run> =>
  new Promise((resolve) => {
    execFile(process.execPath, ['--conditions=trivium-source', SCRIPT, ...given], (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code), text: stdout }),
    );
  });

test('for a working deployment every check passes, and the exit status is 0', { timeout: RUNS_WITHIN_MS }, async () => {
  const { code, text } = await run(
    ...['--url', stand.url, '--key', KEY, '--models', 'compatible/thinker,anthropic/claude-sonnet-4-5'],
    ...['--sdks', 'openai,anthropic,google', '--simulated'],
  );
  expect(text).toContain('compatible/thinker\nSDK');
  expect(text).toMatch(/^anthropic 1\.x +pass +pass/m);
  expect(text).toMatch(/checks \d{2}, failed 0\n$/);
  expect(code).toBe(0);
});

test('for a broken deployment the failed checks are listed with their reasons, and the exit status is 1', {
  timeout: RUNS_WITHIN_MS,
}, async () => {
  // Between the SDK and the gateway, something that ends every stream without its last event.
  const broken = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', async () => {
      const sent = Buffer.concat(pieces).toString();
      const { authorization = '' } = request.headers;
      const reply = await fetch(stand.url + request.url, {
        method: request.method ?? 'GET',
        headers: { 'content-type': 'application/json', authorization },
        ...(sent !== '' && { body: sent }),
      });
      const type = reply.headers.get('content-type') ?? '';
      response.writeHead(reply.status, { 'content-type': type, 'x-request-id': 'request-0' });
      const text = await reply.text();
      response.end(
        type.includes('event-stream') ? text.replace(/data: \{[^\n]*"finish_reason":"[^\n]*\n\n/, '') : text,
      );
    });
  });
  await new Promise<void>((ready) => broken.listen(0, '127.0.0.1', ready));
  const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
  const { code, text } = await run(
    '--url',
    url,
    '--key',
    KEY,
    '--models',
    'compatible/any',
    '--sdks',
    'openai chat',
    '--checks',
    'plain,stream',
  );
  broken.close();
  expect(text).toMatch(/^openai chat +pass +FAIL/m);
  expect(text).toMatch(/^openai chat, stream: .*finish_reason/m);
  expect(text).toMatch(/checks 2, failed 1\n$/);
  expect(code).toBe(1);
});

test('without an address the command prints its usage', { timeout: RUNS_WITHIN_MS }, async () => {
  const { code, text } = await run();
  expect(text).toContain('--url');
  expect(code).toBe(2);
});
