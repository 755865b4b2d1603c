// The end of a response in the background, as a receiver of OpenAI's webhooks reads it.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AdminStand } from '../support/admin-stand.ts';
import { HOSTS, openStoredStand } from '../support/stored-checks.ts';

type Delivered = { readonly headers: IncomingHttpHeaders; readonly body: string };
let receiver: Server;
let stand: AdminStand;
let client: OpenAI;
const delivered: Delivered[] = [];

const MOST_WAIT = { timeout: 30_000 };

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    delivered.push({ headers: request.headers, body: await text(request) });
    response.end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  stand = await openStoredStand({
    webhooks: { schemes: ['http'], ports: [port], alsoAddresses: ['127.0.0.1'], lookEveryMs: 20 },
  });
  const { secret } = await stand.newAccount('acme');
  const { json } = await stand.admin('POST', '/accounts/acme/webhooks', {
    url: `http://127.0.0.1:${port}/hook`,
    events: ['response.completed', 'response.cancelled', 'response.failed'],
  });
  client = new OpenAI({
    apiKey: secret,
    baseURL: stand.chatUrl,
    maxRetries: 0,
    webhookSecret: json['secret'] as string,
  });
});
afterAll(async () => {
  await stand.close();
  receiver.close();
});

const aboutIt = (id: string): Delivered[] => delivered.filter(({ body }) => body.includes(id));

const unwrapped = ({ body, headers }: Delivered) => client.webhooks.unwrap(body, headers as Record<string, string>);

describe.each(Object.entries(HOSTS))('over %s', (_dialect, model) => {
  test('[R-76] the end of a response in the background is told once, as the SDK unwraps it', async () => {
    const { id } = await client.responses.create({ model, input: 'Where do three roads meet?', background: true });
    await expect.poll(() => aboutIt(id).length, MOST_WAIT).toBe(1);
    const event = await unwrapped(aboutIt(id)[0] as Delivered);
    expect(event).toMatchObject({ object: 'event', type: 'response.completed', data: { id } });
    expect(Math.abs(event.created_at * 1000 - Date.now())).toBeLessThan(60_000);
    // Whoever is told can read it at once.
    expect((await client.responses.retrieve(id)).status).toBe('completed');
  });
});

test('a cancelled response is told as cancelled; what was not chosen is not told', async () => {
  const { id } = await client.responses.create({
    model: 'priced/flat',
    input: 'Tell me all. @simulate scenario=text-long words=4000 tps=100',
    background: true,
  });
  await client.responses.cancel(id);
  await expect.poll(() => aboutIt(id).length, MOST_WAIT).toBe(1);
  expect(await unwrapped(aboutIt(id)[0] as Delivered)).toMatchObject({ type: 'response.cancelled', data: { id } });
  await expect(client.webhooks.unwrap(aboutIt(id)[0]?.body ?? '', { 'webhook-id': 'x' })).rejects.toThrow();
});
