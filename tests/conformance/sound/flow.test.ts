// Speech flows: its first byte arrives while its host still speaks, and a caller who leaves ends it at the host.
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { speak } from '../../support/sound-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand | undefined;
let server: Server | undefined;
afterEach(async () => {
  await stand?.close();
  server?.closeAllConnections();
  server?.close();
});

/** A host that says what the test tells it to. */
async function standAt(answer: (response: ServerResponse) => void): Promise<Stand> {
  server = createServer((request, response) => {
    request.resume();
    request.on('end', () => answer(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  stand = await openStand({
    alsoHosts: () => ({
      providers: { slow: { dialect: 'openai-speech', baseUrl: `http://127.0.0.1:${port}/v1` } },
      models: [{ id: 'slow/talker', outputModalities: ['speech'], endpoints: [{ provider: 'slow' }] }],
    }),
  });
  return stand;
}

const ALL_BYTES = Buffer.from(Array.from({ length: 256 }, (_, at) => at));

test('[SO-08] the first byte arrives before the last is made, and every value of a byte stays itself', async () => {
  let host: ServerResponse | undefined;
  const own = await standAt((response) => {
    host = response;
    response.writeHead(200, { 'content-type': 'audio/mpeg' });
    response.write(ALL_BYTES);
  });
  const answer = await speak(own, { model: 'slow/talker', input: 'One.', response_format: 'pcm' });
  const reader = answer.body!.getReader();
  const first = await reader.read();
  expect(Buffer.from(first.value!).equals(ALL_BYTES)).toBe(true);
  host?.end(ALL_BYTES);
  const second = await reader.read();
  expect(Buffer.from(second.value!).equals(ALL_BYTES)).toBe(true);
  expect((await reader.read()).done).toBe(true);
});

test('[SO-08] a caller who leaves ends the speech at its host', async () => {
  let isClosed = false;
  const own = await standAt((response) => {
    response.on('close', () => {
      isClosed = true;
    });
    response.writeHead(200, { 'content-type': 'audio/mpeg' });
    response.write(ALL_BYTES);
  });
  const leaving = new AbortController();
  const answer = await speak(own, { model: 'slow/talker', input: 'One.' }, { signal: leaving.signal });
  await answer.body!.getReader().read();
  leaving.abort();
  await vi.waitFor(() => expect(isClosed).toBe(true));
  await vi.waitFor(() => expect(own.records.at(-1)?.how).toBe('gone'));
});

test('[SO-08] a host that breaks off is no whole answer: the connection ends without an end', async () => {
  const own = await standAt((response) => {
    response.writeHead(200, { 'content-type': 'audio/mpeg' });
    response.write(ALL_BYTES, () => response.destroy());
  });
  const answer = await speak(own, { model: 'slow/talker', input: 'One.' });
  await expect(answer.arrayBuffer()).rejects.toThrow();
  expect(own.records.at(-1)?.how).toBe('fault');
});

test('words where sound was asked for are a failure, and not an answer', async () => {
  const own = await standAt((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"error": "out of breath"}');
  });
  const answer = await speak(own, { model: 'slow/talker', input: 'One.' });
  expect(answer.status).toBe(502);
});
