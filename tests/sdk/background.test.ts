// Responses made in the background, as the official OpenAI SDK asks for them, reads, follows and cancels them.
import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI from 'openai';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AdminStand } from '../support/admin-stand.ts';
import { HOSTS, openStoredStand } from '../support/stored-checks.ts';

let stand: AdminStand;
let secret: string;
let stranger: string;
let client: OpenAI;
beforeAll(async () => {
  stand = await openStoredStand();
  ({ secret } = await stand.newAccount('acme'));
  ({ secret: stranger } = await stand.newAccount('stranger'));
  client = new OpenAI({ apiKey: secret, baseURL: stand.chatUrl, maxRetries: 0 });
});
afterAll(() => stand.close());

const MOST_READS = 500;
const READ_EVERY_MS = 20;

type Made = OpenAI.Responses.Response;

async function ended(id: string): Promise<Made> {
  for (let tries = 0; tries < MOST_READS; tries++) {
    const read = await client.responses.retrieve(id);
    if (read.status !== 'queued' && read.status !== 'in_progress') return read;
    await sleep(READ_EVERY_MS);
  }
  throw new Error(`${id} has not ended`);
}

describe.each(Object.entries(HOSTS))('over %s', (_dialect, model) => {
  test('[R-72] is queued at once, polled, and read whole once it has ended', async () => {
    const made = await client.responses.create({ model, input: 'Where do three roads meet?', background: true });
    expect(made.status).toBe('queued');
    expect(made).toMatchObject({ background: true, store: true, output: [] });
    const read = await ended(made.id);
    expect(read).toMatchObject({ id: made.id, status: 'completed', background: true, store: true });
    expect(read.output_text).toMatch(/three roads/);
    const items = await client.responses.inputItems.list(made.id);
    expect(JSON.stringify(items.data)).toMatch(/three roads/);
    const next = await client.responses.create({ model, input: 'And then?', previous_response_id: made.id });
    expect(JSON.stringify(stand.simulator.truth.read().at(-1))).toMatch(/three roads/);
    expect(next.status).toBe('completed');
  });
});

type Event = OpenAI.Responses.ResponseStreamEvent;

async function eventsOf(stream: AsyncIterable<Event>): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

const replay = (id: string, after?: number): Promise<Event[]> =>
  client.responses
    .retrieve(id, { stream: true, ...(after !== undefined && { starting_after: after }) })
    .then((stream) => eventsOf(stream));

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const moneyOf = (id: string) =>
  query(
    stand.database.url,
    `select h.state as hold, (select count(*)::int from usage_events u where u.request_id = h.id) as records,
       (select coalesce(sum(cost_nano), 0)::text from usage_events u where u.request_id = h.id) as recorded,
       (select count(*)::int from ledger_entries e where e.id = h.id) as charges,
       (select coalesce(sum(amount), 0)::text from ledger_entries e where e.id = h.id) as charged
     from ledger_holds h where h.id = '${id.replace('resp_', '')}'`,
  );

/** Slow enough to be stopped. */
const PRICED = 'priced/flat';
const LONG = 'Tell me all. @simulate scenario=text-long words=4000 tps=100';

describe.each(Object.entries(HOSTS))('over %s', (_dialect, model) => {
  test('[R-73] a stream has every event once, from 0 and after a cut behind any event', async () => {
    const first = await eventsOf(
      await client.responses.create({ model, input: 'A stream, please', background: true, stream: true }),
    );
    expect(first.map(({ sequence_number }) => sequence_number)).toEqual(first.map((_, at) => at));
    expect(first.map(({ type }) => type).slice(0, 3)).toEqual([
      'response.created',
      'response.queued',
      'response.in_progress',
    ]);
    const [created, last] = [first[0], first.at(-1)];
    if (created?.type !== 'response.created' || last?.type !== 'response.completed') throw new Error('no end');
    const { id } = created.response;
    expect(await replay(id)).toEqual(first);
    for (let cut = 0; cut < first.length; cut++) expect(await replay(id, cut)).toEqual(first.slice(cut + 1));
    const { _request_id: _, ...read } = await client.responses.retrieve(id);
    expect(read).toMatchObject({ id, status: 'completed', output: last.response.output, usage: last.response.usage });
    const helper = client.responses.stream({ response_id: id, starting_after: 3 });
    expect((await eventsOf(helper)).length).toBeGreaterThan(0);
    expect((await helper.finalResponse()).output_text).toBe(read.output_text);
    expect(await moneyOf(id)).toMatchObject([{ records: 1 }]);
  });

  test('[R-74] cancel stops the upstream and settles what was used', async () => {
    const stream = await client.responses.create({ model, input: LONG, background: true, stream: true });
    let id = '';
    for await (const event of stream) {
      if (event.type === 'response.created') id = event.response.id;
      if (event.type === 'response.output_text.delta') break;
    }
    const cancelled = await client.responses.cancel(id);
    expect(cancelled).toMatchObject({ id, status: 'cancelled' });
    const { _request_id: _, ...again } = await client.responses.cancel(id);
    expect(await client.responses.retrieve(id)).toMatchObject(again);
    const [money] = await moneyOf(id);
    expect(money).toMatchObject({ records: 1 });
    expect(money?.['hold']).not.toBe('open');
    expect(stand.gateway.gauges.upstreamExchanges).toBe(0);
    const events = await replay(id);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
    expect(JSON.stringify(events.at(-1))).toMatch(/"status":"cancelled"/);
  });
});

test('[R-72] what cannot be is refused by name, and a failed one is charged nothing', async () => {
  const [model = ''] = Object.values(HOSTS);
  const refused = async (work: PromiseLike<unknown>, field: string) => {
    const error = await Promise.resolve(work).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ status: 400, param: field });
  };
  await refused(client.responses.create({ model, input: 'x', background: true, store: false }), 'background');
  const plain = await client.responses.create({ model, input: 'x' });
  await refused(client.responses.cancel(plain.id), 'response_id');
  const polled = await client.responses.create({ model, input: 'x', background: true });
  await ended(polled.id);
  await refused(client.responses.retrieve(polled.id, { stream: true }), 'stream');
  const broken = await client.responses.create({ model, input: 'x @simulate fault=status-500', background: true });
  const failed = await ended(broken.id);
  expect(failed).toMatchObject({ status: 'failed', output: [] });
  expect(failed.error?.message).toBeTruthy();
  expect(await moneyOf(broken.id)).toMatchObject([{ hold: 'released', records: 1, charges: 0 }]);
});

test('[R-72] is charged once, at what was reported, and [R-74] a cancelled one for what it used', async () => {
  const made = await client.responses.create({ model: PRICED, input: 'How much?', background: true });
  const { usage } = await ended(made.id);
  const nano = BigInt(usage?.input_tokens ?? 0) * 1250n + BigInt(usage?.output_tokens ?? 0) * 10_000n;
  expect(nano).toBeGreaterThan(0n);
  const all = { hold: 'settled', records: 1, recorded: String(nano), charges: 1, charged: String(nano) };
  expect(await moneyOf(made.id)).toEqual([all]);
  const stream = await client.responses.create({ model: PRICED, input: LONG, background: true, stream: true });
  let id = '';
  for await (const event of stream) {
    if (event.type === 'response.created') id = event.response.id;
    if (event.type === 'response.output_text.delta') break;
  }
  await client.responses.cancel(id);
  const [money] = await moneyOf(id);
  expect(money).toMatchObject({ hold: 'settled', records: 1, charges: 1 });
  expect(money?.['charged']).toBe(money?.['recorded']);
  expect(BigInt(String(money?.['charged']))).toBeGreaterThan(0n);
});

test('[R-72] without money nothing is queued', async () => {
  expect((await stand.admin('POST', '/accounts', { id: 'poor', name: 'poor', kind: 'prepaid' })).status).toBe(201);
  const key = await stand.admin('POST', '/accounts/poor/keys', { name: 'first', rights: {} });
  const poor = new OpenAI({ apiKey: String(key.json['secret']), baseURL: stand.chatUrl, maxRetries: 0 });
  const before = stand.simulator.truth.read().length;
  const error = await poor.responses
    .create({ model: PRICED, input: 'x', background: true })
    .catch((caught: unknown) => caught);
  expect(error).toMatchObject({ status: 402 });
  expect(stand.simulator.truth.read().length).toBe(before);
});

describe.each(Object.entries(HOSTS))('over %s', (_dialect, model) => {
  test('[R-75] ids of others find nothing, running or ended', async () => {
    const other = new OpenAI({ apiKey: stranger, baseURL: stand.chatUrl, maxRetries: 0 });
    const running = await client.responses.create({ model, input: LONG, background: true });
    const over = await client.responses.create({ model, input: 'x', background: true, stream: true });
    const [created] = await eventsOf(over);
    if (created?.type !== 'response.created') throw new Error('no start');
    for (const id of [running.id, created.response.id])
      for (const work of [
        () => other.responses.retrieve(id),
        () => other.responses.retrieve(id, { stream: true }),
        () => other.responses.cancel(id),
        () => other.responses.delete(id),
      ])
        expect(await work().catch((error: unknown) => error)).toMatchObject({ status: 404 });
    expect((await client.responses.cancel(running.id)).status).toBe('cancelled');
    await client.responses.delete(created.response.id);
    const gone = await replay(created.response.id).catch((error: unknown) => error);
    expect(gone).toMatchObject({ status: 404 });
  });
});
