/** OpenAI's library for JavaScript: responses in the background, on two nodes. */
import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { HOSTS } from '../../tests/support/stored-checks.ts';
import type { Delivered } from './receiver.ts';

export type Place = {
  readonly urls: readonly [string, string];
  readonly secret: string;
  readonly webhookSecret: string;
  readonly receiverUrl: string;
};

type Event = OpenAI.Responses.ResponseStreamEvent;

const LONG = 'Tell me all. @simulate scenario=text-long words=4000 tps=100';

async function eventsOf(stream: AsyncIterable<Event>): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

function idIn([created]: readonly Event[]): string {
  assert.ok(created?.type === 'response.created');
  return created.response.id;
}

/** The text that the events of an answer add up to. */
const textIn = (events: readonly Event[]): string =>
  events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('');

async function cutAtEachEvent(one: OpenAI, other: OpenAI, model: string): Promise<void> {
  const asked = { model, input: 'A stream, please', background: true, stream: true } as const;
  const whole = await eventsOf(await one.responses.create(asked));
  const id = idIn(whole);
  for (let cut = 0; cut < whole.length; cut++) {
    const rest = await other.responses.retrieve(id, { stream: true, starting_after: cut });
    assert.deepEqual(await eventsOf(rest), whole.slice(cut + 1));
  }
  const helper = other.responses.stream({ response_id: id, starting_after: 3 });
  assert.equal((await helper.finalResponse()).output_text, textIn(whole));
  const { _request_id: _, ...here } = await one.responses.retrieve(id);
  const { _request_id: __, ...there } = await other.responses.retrieve(id);
  assert.deepEqual(there, here);
  await other.responses.delete(id);
  await assert.rejects(async () => one.responses.retrieve(id), { status: 404 });
}

/** Unlike the above, the answer is still being made while its connections are cut, one behind each event. */
async function cutWhileMade(one: OpenAI, other: OpenAI, model: string): Promise<void> {
  const asked = { model, input: 'Slowly. @simulate scenario=text-long words=40 tps=200', background: true } as const;
  const events: Event[] = [];
  let stream = await one.responses.create({ ...asked, stream: true });
  for (let turn = 0; ; turn++) {
    for await (const event of stream) {
      events.push(event);
      break;
    }
    const { type, sequence_number: after } = events.at(-1) ?? assert.fail('no event');
    if (type === 'response.completed') break;
    const node = turn % 2 === 0 ? other : one;
    stream = await node.responses.retrieve(idIn(events), { stream: true, starting_after: after });
  }
  assert.deepEqual(
    events.map(({ sequence_number }) => sequence_number),
    events.map((_, at) => at),
  );
  assert.equal((await one.responses.retrieve(idIn(events))).output_text, textIn(events));
}

async function cancelled(one: OpenAI, other: OpenAI, model: string): Promise<void> {
  const stream = await one.responses.create({ model, input: LONG, background: true, stream: true });
  const events: Event[] = [];
  for await (const event of stream) {
    events.push(event);
    if (event.type === 'response.output_text.delta') break;
  }
  const id = idIn(events);
  assert.equal((await other.responses.cancel(id)).status, 'cancelled');
  assert.equal((await one.responses.retrieve(id)).status, 'cancelled');
  const all = await eventsOf(await one.responses.retrieve(id, { stream: true }));
  assert.match(JSON.stringify(all.at(-1)), /"status":"cancelled"/);
}

async function unwrapped(one: OpenAI, model: string, receiverUrl: string): Promise<void> {
  const { id } = await one.responses.create({ model, input: 'Where do three roads meet?', background: true });
  const came = (await (await fetch(`${receiverUrl}/${id}`)).json()) as Delivered;
  const event = await one.webhooks.unwrap(came.body, came.headers as Record<string, string>);
  assert.ok(event.type === 'response.completed' && event.data.id === id);
  await assert.rejects(one.webhooks.unwrap(`${came.body} `, came.headers as Record<string, string>));
}

type Named = { readonly name: string; run(place: Place): Promise<void> };

export const BACKGROUND: readonly Named[] = Object.entries(HOSTS).flatMap(([dialect, model]) => {
  const check = (name: string, run: (one: OpenAI, other: OpenAI, place: Place) => Promise<void>): Named => ({
    name: `openai: ${name} over ${dialect}`,
    run: (place) => {
      const { secret: apiKey, webhookSecret, urls } = place;
      const at = (baseURL: string): OpenAI => new OpenAI({ apiKey, webhookSecret, baseURL, maxRetries: 0 });
      return run(at(urls[0]), at(urls[1]), place);
    },
  });
  return [
    check('a stream is cut behind each event and goes on at another node', (one, other) =>
      cutAtEachEvent(one, other, model),
    ),
    check('a stream is cut behind each event while it is made', (one, other) => cutWhileMade(one, other, model)),
    check('cancel at another node', (one, other) => cancelled(one, other, model)),
    check('a webhook is unwrapped', (one, _, { receiverUrl }) => unwrapped(one, model, receiverUrl)),
  ];
});
