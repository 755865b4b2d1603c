/**
 * Golden invoices: usage as each family of hosts reports it, and its disjoint usage dimensions, written by hand. Whole and
 * streamed, verbatim and translated, the usage dimensions of a request are the same.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Canned, type CannedUpstream, openCannedUpstream, plainAnswer } from '../support/canned-upstream.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';

type Json = Record<string, unknown>;
type Place = 'alone' | 'finish' | 'finish-and-alone' | 'every' | 'choice' | 'x_groq';
type Invoice = {
  readonly provider: string;
  readonly dialect: string;
  readonly usage: Json;
  /** The usage in the first and the last frames of a stream, where it differs from the whole answer. */
  readonly streamed?: readonly [Json, Json];
  readonly streamedAt?: Place;
  readonly alwaysTranslated?: boolean;
  readonly meters: Readonly<Record<string, number>>;
};

const FOLDER = new URL('../../packages/protocol/fixtures/usage/', import.meta.url);
const invoices = readdirSync(FOLDER).map((name) => {
  const read = (file: string): unknown => JSON.parse(readFileSync(new URL(`${name}/${file}`, FOLDER), 'utf8'));
  return { name, origin: read('origin.json') as Json, ...(read('invoice.json') as Invoice) };
});

let upstream: CannedUpstream;
let stand: Stand;
beforeAll(async () => {
  upstream = await openCannedUpstream();
  const host = { credential: 'sk-canned', baseUrl: upstream.url };
  stand = await openStand({
    alsoHosts: () => ({
      providers: Object.fromEntries(invoices.map(({ provider }) => [provider, host])),
      models: invoices.map(({ name, provider, dialect }) => ({
        id: `invoice/${name}`,
        contextLength: 128_000,
        endpoints: [{ provider, dialect, upstreamModel: 'm' }],
      })),
    }),
  });
});
afterAll(async () => {
  await stand.close();
  await upstream.close();
});

const events = (frames: readonly Json[], named: boolean, last = ''): Canned => ({
  contentType: 'text/event-stream',
  pieces: [
    ...frames.map((frame) => `${named ? `event: ${frame['type']}\n` : ''}data: ${JSON.stringify(frame)}\n\n`),
    last,
  ],
});

const chatChunk = (delta: Json, finish: string | null = null, more: Json = {}): Json => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});

function chatStream({ usage, streamedAt: place = 'alone' }: Invoice): Canned {
  const every = place === 'every' ? { usage } : {};
  const alone = { ...chatChunk({}), choices: [], usage };
  const finish = chatChunk({}, 'stop', place.startsWith('finish') ? { usage } : every);
  if (place === 'choice') finish['choices'] = [{ index: 0, delta: {}, finish_reason: 'stop', usage }];
  if (place === 'x_groq') finish['x_groq'] = { id: 'r', usage };
  const frames = [chatChunk({ role: 'assistant', content: 'Hi' }, null, every), finish];
  if (place === 'alone' || place === 'finish-and-alone') frames.push(alone);
  return events(frames, false, 'data: [DONE]\n\n');
}

function messagesStream({ usage, streamed }: Invoice): Canned {
  const [start, end] = streamed ?? [usage, usage];
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null };
  return events(
    [
      { type: 'message_start', message: { ...message, stop_sequence: null, usage: start } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: end },
      { type: 'message_stop' },
    ],
    true,
  );
}

const candidate = (text: string, finishReason?: string): Json => ({
  index: 0,
  content: { role: 'model', parts: [{ text }] },
  ...(finishReason !== undefined && { finishReason }),
});

function generateStream({ usage, streamed }: Invoice): Canned {
  const [first, last] = streamed ?? [usage, usage];
  return events(
    [
      { candidates: [candidate('H')], usageMetadata: first, responseId: 'r', modelVersion: 'm' },
      { candidates: [candidate('i', 'STOP')], usageMetadata: last, responseId: 'r', modelVersion: 'm' },
    ],
    false,
  );
}

const ITEM = {
  id: 'msg_1',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
};
const response = (usage: Json | null, status: string): Json => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status,
  output: usage === null ? [] : [ITEM],
  usage,
});

function responsesStream({ usage }: Invoice): Canned {
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const frames: Json[] = [
    { type: 'response.created', response: response(null, 'in_progress') },
    { type: 'response.output_item.added', output_index: 0, item: { ...ITEM, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...at, part: { type: 'output_text', text: '', annotations: [] } },
    { type: 'response.output_text.delta', ...at, delta: 'Hi' },
    { type: 'response.output_text.done', ...at, text: 'Hi' },
    { type: 'response.content_part.done', ...at, part: ITEM.content[0] },
    { type: 'response.output_item.done', output_index: 0, item: ITEM },
    { type: 'response.completed', response: response(usage, 'completed') },
  ];
  return events(
    frames.map((frame, sequence_number) => ({ ...frame, sequence_number })),
    true,
  );
}

const WHOLE: Readonly<Record<string, (usage: Json) => Json>> = {
  'openai-chat': (usage) => ({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
    usage,
  }),
  'openai-responses': (usage) => response(usage, 'completed'),
  'anthropic-messages': (usage) => ({
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Hi' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage,
  }),
  'google-generate': (usage) => ({ candidates: [candidate('Hi', 'STOP')], usageMetadata: usage, modelVersion: 'm' }),
};
const STREAMED: Readonly<Record<string, (invoice: Invoice) => Canned>> = {
  'openai-chat': chatStream,
  'openai-responses': responsesStream,
  'anthropic-messages': messagesStream,
  'google-generate': generateStream,
};

const messages = [{ role: 'user', content: 'Hello' }];
/** A request of each protocol: its path and its body. */
const CALLERS: Readonly<Record<string, (model: string, stream: boolean) => readonly [path: string, body: Json]>> = {
  'openai-chat': (model, stream) => ['/api/v1/chat/completions', { model, stream, messages }],
  'openai-responses': (model, stream) => ['/api/v1/responses', { model, stream, input: 'Hello' }],
  'anthropic-messages': (model, stream) => ['/api/anthropic/v1/messages', { model, stream, messages, max_tokens: 99 }],
  'google-generate': (model, stream) => [
    `/api/vertex-ai/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  ],
};

async function recorded(caller: string, model: string, stream: boolean): Promise<Stand['records'][number]> {
  const call = CALLERS[caller];
  if (call === undefined) throw new Error(`no caller ${caller}`);
  const [path, body] = call(model, stream);
  const reply = await fetch(`${stand.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', authorization: `Bearer ${KEY}` },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  expect({ status: reply.status, text }).toEqual({ status: 200, text });
  return vi.waitFor(() => {
    const found = stand.records.find(({ requestId }) => requestId === reply.headers.get('x-request-id'));
    if (found === undefined) throw new Error('no record yet');
    return found;
  });
}

test('there is an invoice for every family of hosts, and none is marked as recorded', () => {
  expect(invoices.length).toBeGreaterThanOrEqual(14);
  for (const { origin } of invoices) expect(origin['kind']).toBe('invented');
});

describe.each(invoices)('$name ($dialect)', (invoice) => {
  test.each(Object.keys(CALLERS))('the usage dimensions match the invoice for a %s caller', async (caller) => {
    const { name, dialect, usage, meters, alwaysTranslated } = invoice;
    const lane = caller === dialect && alwaysTranslated !== true ? 'verbatim' : 'translated';
    for (const stream of [false, true]) {
      const canned = stream ? STREAMED[dialect]?.(invoice) : plainAnswer(WHOLE[dialect]?.(usage) ?? {});
      upstream.say(canned ?? plainAnswer({}));
      const record = await recorded(caller, `invoice/${name}`, stream);
      expect({ stream, lane: record.lane, usage: record.reading?.usage, reported: record.reading?.reported }).toEqual({
        stream,
        lane,
        usage: meters,
        reported: true,
      });
    }
  });
});
