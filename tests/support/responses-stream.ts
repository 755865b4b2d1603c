/** A stream of Responses events, read as bytes and as events, and checked against the grammar of such streams. */
import { expect } from 'vitest';
import { type Json, type OutputItem, post, type ResponsesReply } from './responses-probe.ts';
import type { Stand } from './stand.ts';

export type Event = Json & { type: string; sequence_number: number };

export type Streamed = {
  readonly reply: ResponsesReply;
  readonly events: readonly Event[];
  readonly types: readonly string[];
  /** The object in the last event. */
  readonly response: Json;
  readonly output: readonly OutputItem[];
};

const FRAME = /event: ([\w.]+)\ndata: (\{[^\n]*\})\n\n/g;
/** A whole body: frames, and comments between them. */
const WHOLE_STREAM = /^(?:(?:event: [\w.]+\ndata: \{[^\n]*\}|: [^\n]*)\n\n)+$/;

export function eventsOf(text: string): Event[] {
  expect(text).toMatch(WHOLE_STREAM);
  return [...text.matchAll(FRAME)].map(([, name, data]) => {
    const event = JSON.parse(data ?? '') as Event;
    expect(event.type).toBe(name);
    return event;
  });
}

/** A stream that began with 200; the test checks how it ended. */
export async function streamed(stand: Stand, body: Json): Promise<Streamed> {
  const reply = await post(stand, { ...body, stream: true });
  expect({ status: reply.status, error: reply.json['error'] }).toEqual({ status: 200, error: undefined });
  expect(reply.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const events = eventsOf(reply.text);
  const response = (events.at(-1)?.['response'] ?? {}) as Json;
  return {
    reply,
    events,
    types: events.map(({ type }) => type),
    response,
    output: (response['output'] ?? []) as OutputItem[],
  };
}

export const eventsAt = ({ events }: Streamed, type: string): Event[] => events.filter((event) => event.type === type);
export const joined = (events: readonly Event[]): string => events.map(({ delta }) => delta).join('');

/** The types between the first and the last event of one item, each run of deltas as one. */
export function courseOf({ events }: Streamed, outputIndex: number): string[] {
  const types = events
    .filter((event) => event['output_index'] === outputIndex)
    .map(({ type }) => type.replace('response.', ''));
  return types.filter((type, at) => !(type.endsWith('.delta') && types[at - 1] === type));
}

export function expectBeginning({ events }: Streamed): void {
  expect(events.slice(0, 2)).toMatchObject([
    { type: 'response.created', response: { object: 'response', status: 'in_progress', output: [] } },
    { type: 'response.in_progress', response: { object: 'response', status: 'in_progress', output: [] } },
  ]);
  expect(events.filter(({ type }) => /^response\.(created|in_progress)$/.test(type))).toHaveLength(2);
}

export const expectNumbers = ({ events }: Streamed): void =>
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at));

/** Every item begins and ends once under one place and one id, in the order of beginning; the last object holds them. */
export function expectItems(stream: Streamed): void {
  const added = eventsAt(stream, 'response.output_item.added');
  const done = eventsAt(stream, 'response.output_item.done');
  expect(added.map((event) => event['output_index'])).toEqual(added.map((_, at) => at));
  expect(done.map((event) => event['output_index']).sort()).toEqual(added.map((_, at) => at));
  for (const [index, { item }] of added.entries()) {
    const id = (item as OutputItem).id;
    const own = stream.events.filter((event) => event['output_index'] === index);
    expect([own[0]?.type, own.at(-1)?.type]).toEqual(['response.output_item.added', 'response.output_item.done']);
    for (const event of own.slice(1, -1)) expect(event['item_id']).toBe(id);
    expect(own.at(-1)).toMatchObject({ item: { id } });
    expect(stream.output[index]).toEqual(own.at(-1)?.['item']);
  }
  expect(stream.output).toHaveLength(added.length);
}

/** One end, at the end, with everything in it. */
export function expectEnd({ events, response }: Streamed): void {
  const ends = events.filter(({ type }) => /^(?:error|response\.(?:completed|incomplete|failed))$/.test(type));
  expect(ends).toEqual([events.at(-1)]);
  expect(['response.completed', 'response.incomplete']).toContain(ends[0]?.type);
  expect(`response.${response['status']}`).toBe(ends[0]?.type);
  expect(response['usage']).toMatchObject({ input_tokens: expect.any(Number), output_tokens: expect.any(Number) });
}
