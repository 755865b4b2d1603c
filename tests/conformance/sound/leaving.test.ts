// Callers who leave before a recording is written down: the host's work is paid for by the length of the recording.
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { formOf, silence } from '../../support/sound-probe.ts';
import { KEY, openStand, type Stand } from '../../support/stand.ts';

const SECONDS = 7.3;
const BY_SECONDS = 'slow/listener';
const BY_TOKENS = 'slow/token-listener';

let stand: Stand;
let server: Server;
let answer: (response: ServerResponse) => void = () => {};
let asked = 0;

const price = (value: string, unit: string) => [{ value, unit, currency: 'USD' }];
const listens = { inputModalities: ['audio'], outputModalities: ['transcription'] };

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      asked++;
      answer(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  stand = await openStand({
    alsoHosts: () => ({
      providers: { slow: { dialect: 'openai-transcription', baseUrl: `http://127.0.0.1:${port}/v1` } },
      models: [
        {
          id: BY_SECONDS,
          ...listens,
          endpoints: [{ provider: 'slow', pricings: { audio: price('0.0001', 'perSecond') } }],
        },
        {
          id: BY_TOKENS,
          ...listens,
          endpoints: [
            {
              provider: 'slow',
              pricings: {
                prompt: price('2.5', 'perMTokens'),
                completion: price('10', 'perMTokens'),
                audio: price('6', 'perMTokens'),
              },
            },
          ],
        },
      ],
    }),
  });
});
beforeEach(() => {
  asked = 0;
});
afterAll(async () => {
  await stand.close();
  server.closeAllConnections();
  server.close();
});

async function leave(
  sound: Uint8Array,
  model: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Stand['records'][number] | undefined> {
  const before = stand.records.length;
  const leaving = new AbortController();
  const reply = fetch(`${stand.chatUrl}/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}` },
    body: formOf(sound, { model, ...more }),
    signal: leaving.signal,
  });
  await vi.waitFor(() => expect(asked).toBe(1));
  leaving.abort();
  await expect(reply).rejects.toThrow();
  await vi.waitFor(() => expect(stand.records.length).toBe(before + 1));
  return stand.records.at(-1);
}

test('by the second: what was sent, as it is long', async () => {
  answer = () => {};
  const record = await leave(silence(SECONDS), BY_SECONDS);
  expect(record).toMatchObject({ how: 'gone', bill: { estimated: true, usage: { audioSeconds: SECONDS } } });
  expect(record?.bill?.cost.nanoUsd).toBe(730_000n);
});

test('the same, where events were to come: all of the work is the reading', async () => {
  answer = () => {};
  const record = await leave(silence(SECONDS), BY_SECONDS, { stream: 'true' });
  expect(record).toMatchObject({ how: 'gone', bill: { estimated: true, usage: { audioSeconds: SECONDS } } });
});

test('by the second, of unknown length: by its bytes, and not as the most it may be', async () => {
  answer = () => {};
  const record = await leave(Buffer.alloc(40_000, 1), BY_SECONDS);
  expect(record).toMatchObject({ how: 'gone', bill: { estimated: true, usage: { audioSeconds: 10 } } });
});

test('by the token: the usual ones of its length', async () => {
  answer = () => {};
  const record = await leave(silence(SECONDS), BY_TOKENS);
  expect(record).toMatchObject({ how: 'gone', bill: { estimated: true, usage: { inputAudio: 73 } } });
});

test('a host that had refused it is not paid', async () => {
  answer = (response) => {
    response.writeHead(503);
    response.write('{');
  };
  const record = await leave(silence(SECONDS), BY_SECONDS);
  expect(record?.bill).toBeUndefined();
});
