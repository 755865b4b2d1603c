// LC: prompts at a host that has the older completions itself.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { KEY, openStand, type Stand } from '../../support/stand.ts';

type Json = Record<string, unknown>;
const MODEL = 'house/base';
const TEXT = ' and they lived.';
const USAGE = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 };
const HEAD = { id: 'cmpl-of-the-host', object: 'text_completion', created: 1, model: 'base-7b' };

let stand: Stand;
let server: Server;
let asked: { path: string | undefined; text: string }[] = [];
let answer: (response: ServerResponse) => void = () => {};

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
};
const price = (value: string) => [{ value, unit: 'perMTokens', currency: 'USD' }];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    asked.push({ path: request.url, text: await bodyOf(request) });
    answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  stand = await openStand({
    alsoHosts: () => ({
      providers: {
        house: { dialect: 'openai-chat', baseUrl: `http://127.0.0.1:${port}/v1`, quirks: { completions: true } },
      },
      models: [
        {
          id: MODEL,
          inputModalities: ['text'],
          outputModalities: ['text'],
          contextLength: 4096,
          maxOutputTokens: 1024,
          endpoints: [
            { provider: 'house', upstreamModel: 'base-7b', pricings: { prompt: price('1'), completion: price('2') } },
          ],
        },
      ],
    }),
  });
});
beforeEach(() => {
  asked = [];
});
afterAll(async () => {
  await stand.close();
  server.closeAllConnections();
  server.close();
});

const whole =
  (more: Json = { usage: USAGE }, status = 200) =>
  (response: ServerResponse): void => {
    const choices = [{ index: 0, text: TEXT, logprobs: null, finish_reason: 'length', prompt_logprobs: null }];
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...HEAD, choices, ...more }));
  };
const chunks =
  (frames: readonly Json[], end = 'data: [DONE]\n\n') =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const frame of frames) response.write(`data: ${JSON.stringify({ ...HEAD, ...frame })}\n\n`);
    response.end(end);
  };
const piece = (text: string, finish_reason: string | null = null) => ({
  choices: [{ index: 0, text, logprobs: null, finish_reason }],
});

const send = (body: string): Promise<Response> =>
  fetch(`${stand.chatUrl}/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body,
  });

async function ask(body: string) {
  const response = await send(body);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** A stream whose connection is broken off after its error. */
async function untilCut(body: string): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const piece of (await send(body)).body ?? []) text += decoder.decode(piece, { stream: true });
  } catch {
    // Broken off.
  }
  return text;
}
const bill = () => stand.records.at(-1)?.bill;

test('[LC-12] the text of the caller goes to the host as it is, but for the model and what is the gateway’s', async () => {
  answer = whole();
  const own = `{"model": "${MODEL}",  "prompt":"Once upon a time", "max_tokens": 5.0, "min_p":0.10, "usage": {"include": true}}`;
  const { status, headers, text } = await ask(own);
  expect(status).toBe(200);
  expect(asked.map(({ path }) => path)).toEqual(['/v1/completions']);
  expect(asked[0]?.text).toContain('"max_tokens": 5.0, "min_p":0.10');
  expect(JSON.parse(asked[0]?.text ?? '')).toEqual({
    ...{ model: 'base-7b', prompt: 'Once upon a time', max_tokens: 5, min_p: 0.1 },
  });
  const body = JSON.parse(text) as Json;
  expect(body).toMatchObject({ object: 'text_completion', model: MODEL, usage: { ...USAGE, cost: 0.000019 } });
  expect(body['id']).toBe(`cmpl-${headers.get('x-request-id')}`);
  expect(body['choices']).toEqual([
    { index: 0, text: TEXT, logprobs: null, finish_reason: 'length', prompt_logprobs: null },
  ]);
  expect(bill()).toMatchObject({ usage: { prompt: 9, completion: 5 }, estimated: false, cost: { nanoUsd: 19_000n } });
});

test.each([true, false])(
  '[LC-12] a stream is passed on and charged, its usage shown if asked for: %s',
  async (shows) => {
    answer = chunks([piece(' and they'), piece(' lived.'), piece('', 'stop'), { choices: [], usage: USAGE }]);
    const wanted = shows ? { stream_options: { include_usage: true } } : {};
    const { status, text } = await ask(JSON.stringify({ model: MODEL, prompt: 'Once', stream: true, ...wanted }));
    expect(status).toBe(200);
    expect(JSON.parse(asked[0]?.text ?? '')).toMatchObject({ stream_options: { include_usage: true } });
    const lines = text.split('\n\n').filter((line) => line.startsWith('data: '));
    expect(lines.at(-1)).toBe('data: [DONE]');
    const frames = lines.slice(0, -1).map((line) => JSON.parse(line.slice(6)) as Json);
    for (const frame of frames) expect(frame).toMatchObject({ object: 'text_completion', model: MODEL });
    const texts = frames.flatMap(({ choices }) => (choices as { text: string }[]).map((choice) => choice.text));
    expect(texts.join('')).toBe(TEXT);
    expect(frames.flatMap(({ usage }) => usage ?? [])).toEqual(shows ? [USAGE] : []);
    expect(bill()).toMatchObject({ usage: { prompt: 9, completion: 5 }, estimated: false, cost: { nanoUsd: 19_000n } });
  },
);

test('[LC-12] a host that states no usage is charged by our own count, never nothing', async () => {
  answer = whole({});
  expect((await ask(JSON.stringify({ model: MODEL, prompt: 'Once' }))).status).toBe(200);
  const plain = bill();
  expect(plain?.estimated).toBe(true);
  expect(plain?.usage['prompt']).toBeGreaterThan(0);
  expect(plain?.usage['completion']).toBeGreaterThan(0);
  answer = chunks([piece(TEXT), piece('', 'stop')]);
  expect((await ask(JSON.stringify({ model: MODEL, prompt: 'Once', stream: true }))).status).toBe(200);
  expect(bill()).toMatchObject({ estimated: true, usage: { prompt: plain?.usage['prompt'] } });
  expect(bill()?.usage['completion']).toBeGreaterThan(0);
});

test('[LC-12] a refusal is the host’s, a stream that breaks off has an error and no end', async () => {
  answer = whole({ error: { message: 'too long', type: 'invalid_request_error' } }, 400);
  expect((await ask(JSON.stringify({ model: MODEL, prompt: 'Once' }))).status).toBe(400);
  answer = chunks([piece(' and they')], '');
  const text = await untilCut(JSON.stringify({ model: MODEL, prompt: 'Once', stream: true }));
  expect(text).toContain('"error"');
  expect(text).not.toContain('[DONE]');
});

test('[LC-12] a cap above the limit of the model is lowered', async () => {
  answer = whole();
  const { headers } = await ask(JSON.stringify({ model: MODEL, prompt: 'Once', max_tokens: 100_000 }));
  expect(headers.get('x-trivium-losses')).toBe('max_tokens');
  expect(JSON.parse(asked[0]?.text ?? '')).toMatchObject({ max_tokens: 1024 });
});

test('[LC-12] a chat request to the same model stays one', async () => {
  answer = (response) => {
    const message = { role: 'assistant', content: 'Yes.' };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...HEAD, choices: [{ index: 0, message, finish_reason: 'stop' }], usage: USAGE }));
  };
  const response = await fetch(`${stand.chatUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Once?' }] }),
  });
  expect(response.status).toBe(200);
  expect(asked.map(({ path }) => path)).toEqual(['/v1/chat/completions']);
});
