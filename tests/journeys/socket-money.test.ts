// What frames of a WebSocket cost an account that pays in advance: what the same POST costs.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';
import { PRICED_MODELS } from '../support/priced-models.ts';
import { SocketClient, type SocketEvent } from '../support/socket-client.ts';

const MODEL = 'priced/flat';
const WAIT = { timeout: 20_000, interval: 20 };

let stand: AdminStand;
beforeAll(async () => {
  stand = await openAdminStand({ alsoHosts: () => ({ providers: {}, models: PRICED_MODELS }) });
});
afterAll(() => stand.close());

async function paying(account: string, usd: string) {
  await stand.admin('POST', '/accounts', { id: account, name: account, kind: 'prepaid' });
  await stand.admin('POST', `/accounts/${account}/credits`, { usd });
  const { json } = await stand.admin('POST', `/accounts/${account}/keys`, { name: 'app' });
  const headers = { authorization: `Bearer ${String(json['secret'])}` };
  return {
    client: await SocketClient.open(`${stand.chatUrl}/responses`, headers),
    post: (body: object): Promise<Response> =>
      fetch(`${stand.chatUrl}/responses`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, stream: true }),
      }),
    charges: () => chargesOf(account),
    nothingIsHeld: () =>
      vi.waitFor(async () => {
        expect(stand.gateway.gauges.openHolds).toBe(0);
        const { json: credit } = await stand.admin('GET', `/accounts/${account}/credits`);
        expect(credit['heldUsd']).toBe('0');
      }, WAIT),
  };
}

/** By request. */
async function chargesOf(account: string): Promise<ReadonlyMap<string, string>> {
  const { json } = await stand.admin('GET', `/accounts/${account}/ledger`);
  const entries = json['items'] as Record<'kind' | 'requestId' | 'amountUsd', string>[];
  return new Map(
    entries.filter(({ kind }) => kind === 'charge').map(({ requestId, amountUsd }) => [requestId, amountUsd]),
  );
}

const calls = (): number => stand.simulator.truth.read().length;
const requestOf = ([first]: readonly SocketEvent[]): string =>
  (first?.['headers'] as Record<string, string> | undefined)?.['x-request-id'] ?? '';

test('[R-81] partly: each frame is charged what the same POST is', async () => {
  const { client, post, charges, nothingIsHeld } = await paying('payer', '5');
  const bodies = [
    'Hello',
    'Where do three roads meet, and where do four?',
    'Go on. @simulate scenario=text-long words=50',
  ];
  const pairs: [string, string][] = [];
  for (const input of bodies) {
    const body = { model: MODEL, input, max_output_tokens: 500 };
    const posted = await post(body);
    expect(await posted.text()).toContain('event: response.completed');
    const events = await client.create(body);
    expect(events.at(-1)?.type).toBe('response.completed');
    pairs.push([posted.headers.get('x-request-id') ?? '', requestOf(events)]);
  }
  const charged = await vi.waitFor(async () => {
    const all = await charges();
    expect(all.size).toBe(2 * bodies.length);
    return all;
  }, WAIT);
  const amounts = pairs.map(([posted, framed]) => [charged.get(posted), charged.get(framed)]);
  for (const [posted, framed] of amounts) expect([framed, Number(framed) < 0]).toEqual([posted, true]);
  expect(new Set(amounts.map(([posted]) => posted)).size).toBe(bodies.length);
  await nothingIsHeld();
  await client.close();
});

test('[R-81] partly: a frame that the credit does not cover is refused as a POST is, and no host sees it', async () => {
  const { client, post, charges, nothingIsHeld } = await paying('poor', '0.00001');
  const before = calls();
  const body = { model: MODEL, input: 'Hello', max_output_tokens: 500 };
  const posted = await post(body);
  const { error } = (await posted.json()) as { error: object };
  expect(posted.status).toBe(402);
  for (let tries = 0; tries < 2; tries++)
    expect(await client.create(body)).toMatchObject([{ type: 'error', status: 402, error }]);
  expect(calls()).toBe(before);
  expect((await charges()).size).toBe(0);
  await nothingIsHeld();
  await client.close();
});

test('[R-81] partly: a connection that breaks off in the middle leaves one charge, and nothing held', async () => {
  const { client, charges, nothingIsHeld } = await paying('leaver', '5');
  client.send({
    type: 'response.create',
    model: MODEL,
    input: 'Go on. @simulate scenario=text-long words=4000 tps=100',
  });
  const events: SocketEvent[] = [];
  while (events.at(-1)?.type !== 'response.output_text.delta') events.push(await client.next());
  expect(stand.gateway.gauges.openHolds).toBe(1);
  client.ws.terminate();
  await nothingIsHeld();
  const [[id, amount] = []] = await vi.waitFor(async () => {
    const all = await charges();
    expect(all.size).toBe(1);
    return all;
  }, WAIT);
  expect([id, Number(amount) < 0]).toEqual([requestOf(events), true]);
});

test('[R-83] partly: what is only brought is neither held nor charged', async () => {
  const { client, charges, nothingIsHeld } = await paying('careful', '5');
  const ledger = async (): Promise<unknown> => [
    (await stand.admin('GET', '/accounts/careful/ledger')).json,
    (await stand.admin('GET', '/accounts/careful/credits')).json,
  ];
  const before = await ledger();
  const events = await client.create({ model: MODEL, input: 'The preamble.', generate: false });
  expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { usage: { total_tokens: 0 } } });
  expect(stand.gateway.gauges.openHolds).toBe(0);
  expect(await ledger()).toEqual(before);
  expect((await charges()).size).toBe(0);
  await nothingIsHeld();
  await client.close();
});
