// Files by URL for upstreams that fetch none: the gateway fetches them if the operator allows it, else passes on or refuses the URL.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PIXEL } from '../support/responses-probe.ts';
import { KEY, openStand, postChat, type Stand } from '../support/stand.ts';

const GEMINI = 'google/gemini-2.5-flash';
const BLIND = 'blind/claude';
let files: Server;
let fetched: string[] = [];
let port = 0;
let on: Stand;
let off: Stand;

const hosts = (url: string) => ({
  providers: {
    blind: {
      dialect: 'anthropic-messages',
      baseUrl: `${url}/anthropic@blind`,
      credential: 'sk-blind',
      quirks: { fetchesUrls: false },
    },
  },
  models: [
    {
      id: BLIND,
      contextLength: 128_000,
      maxOutputTokens: 16_384,
      inputModalities: ['text', 'image', 'file'],
      endpoints: [{ provider: 'blind', dialect: 'anthropic-messages', upstreamModel: 'claude-sonnet-4-5' }],
    },
  ],
});

beforeAll(async () => {
  files = createServer((request, response) => {
    fetched.push(request.url ?? '');
    response.end(request.url === '/text' ? 'no image' : Buffer.from(PIXEL, 'base64'));
  }).listen(0, '127.0.0.1');
  await once(files, 'listening');
  port = (files.address() as AddressInfo).port;
  const fetch = { enabled: true, schemes: ['http'], ports: [port], alsoAddresses: ['127.0.0.1'] };
  on = await openStand({ alsoHosts: hosts, config: () => ({ media: { fetch } }) });
  off = await openStand({ alsoHosts: hosts });
});
afterAll(async () => {
  await Promise.all([on.close(), off.close()]);
  files.close();
});

const urlOf = (path: string): string => `http://127.0.0.1:${port}${path}`;
const ask = (model: string, ...urls: string[]) => ({
  model,
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        ...urls.map((url) => ({ type: 'image_url', image_url: { url } })),
      ],
    },
  ],
});
const sentBy = (stand: Stand): string => stand.simulator.truth.last()?.bodyText ?? '';

describe('where the operator allows fetching', () => {
  test.each([GEMINI, BLIND])('%s gets the bytes, with the mime type detected from them', async (model) => {
    fetched = [];
    const reply = await postChat(on, ask(model, urlOf('/a.jpg'), urlOf('/a.jpg'), urlOf('/b')));
    expect({ status: reply.status, losses: reply.headers.get('x-trivium-losses') }).toEqual({
      status: 200,
      losses: null,
    });
    expect(fetched.sort()).toEqual(['/a.jpg', '/b']);
    const sent = sentBy(on);
    expect(sent.split(PIXEL)).toHaveLength(4);
    expect(sent).toContain('image/png');
    expect(sent).not.toContain('127.0.0.1');
  });
  test('files are fetched for a messages caller at a messages host, too', async () => {
    const source = { type: 'url', url: urlOf('/c') };
    const reply = await fetch(`${on.url}/api/anthropic/v1/messages`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${KEY}`,
        'anthropic-version': '2023-06-01',
      },
      body: JSON.stringify({
        model: BLIND,
        max_tokens: 99,
        messages: [{ role: 'user', content: [{ type: 'image', source }] }],
      }),
    });
    expect(reply.status).toBe(200);
    expect(sentBy(on)).toContain(PIXEL);
  });
  test('a host that fetches URLs itself gets the URL', async () => {
    fetched = [];
    const stored = 'https://generativelanguage.googleapis.com/v1beta/files/abc.png';
    await postChat(on, ask('openai/gpt-4o', urlOf('/d')));
    expect(sentBy(on)).toContain(urlOf('/d'));
    await postChat(on, ask(GEMINI, stored));
    expect(sentBy(on)).toContain(stored);
    expect(fetched).toEqual([]);
  });
  test.each([
    ['what is no image', () => urlOf('/text')],
    ['an address that may not be reached', () => `http://127.0.0.2:${port}/a`],
    ['a scheme that may not be used', () => 'https://127.0.0.1/a'],
  ])('a file URL that cannot be fetched is refused without an upstream call: %s', async (_, url) => {
    const before = on.simulator.truth.read().length;
    const reply = await postChat(on, ask(GEMINI, url()));
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('could not be fetched');
    expect(reply.text).not.toMatch(/ECONN|127\.0\.0\.|block\.media/);
    expect(on.simulator.truth.read().length).toBe(before);
  });
  test('more files than one request may have fetched are refused', async () => {
    fetched = [];
    const reply = await postChat(on, ask(GEMINI, ...Array.from({ length: 21 }, (_, at) => urlOf(`/${at}`))));
    expect(reply.status).toBe(400);
    expect(fetched).toEqual([]);
  });
});

describe('where the operator does not allow fetching', () => {
  test('nothing is fetched: the URL is forwarded, or refused where the host takes none', async () => {
    fetched = [];
    await postChat(off, ask(GEMINI, urlOf('/a.png')));
    expect(sentBy(off)).toContain(urlOf('/a.png'));
    const reply = await postChat(off, ask(BLIND, urlOf('/a.png')));
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('by URL');
    expect(fetched).toEqual([]);
  });
});
