// Parts of chat messages besides text: cache marks, sources, images, opaque state, and surplus tool calls.
import { expect, test } from 'vitest';
import type { Event } from '../../canonical/events.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { NO_OPTIONS, targetFacts } from '../dialect.fixture.ts';
import type { AnswerContext, Sealing, TargetFacts } from '../dialect.ts';
import { openaiChat } from './index.ts';
import { chatQuirks } from './quirks.ts';

const PIXEL = 'iVBORw0KGgo=';
const facts: TargetFacts = targetFacts({ dialect: 'openai-chat', family: 'f' }, chatQuirks({}), {
  maxOutputTokens: 8192,
});
const context = (responseOptions: object = {}): AnswerContext => ({
  requestId: 'r',
  model: 'm/m',
  createdAtSeconds: 1,
  responseOptions: { ...NO_OPTIONS, ...responseOptions },
});
const understand = (messages: JsonObject[], sealing?: Sealing) =>
  openaiChat.server.understand(
    { model: 'm/m', messages: [{ role: 'user', content: 'q' }, ...messages] },
    { header: () => undefined, ...(sealing !== undefined && { sealing }) },
  );
const turnOf = (messages: JsonObject[], at: number, sealing?: Sealing) =>
  understand(messages, sealing).call().turns[at]?.blocks;

const call = (id: string) => ({
  kind: 'tool-call' as const,
  id,
  name: 'f',
  form: 'function' as const,
  argumentsJson: '{}',
});
const answer = {
  id: 'x',
  model: 'm',
  usage: {},
  candidates: [{ blocks: [call('a'), call('b'), call('c')], finish: { reason: 'tool-call' as const } }],
};

test('a cache mark is read, and its other content is no reason to refuse', () => {
  const part = (cache_control: JsonObject | null) => [
    { role: 'user', content: [{ type: 'text', text: 'long', cache_control }] },
  ];
  expect(turnOf(part({ type: 'ephemeral', ttl: '1h' }), 1)).toMatchObject([{ text: 'long', cache: { ttl: '1h' } }]);
  expect(turnOf(part({ type: 'ephemeral' }), 1)).toMatchObject([{ cache: {} }]);
  expect(turnOf(part({ type: 'eternal' }), 1)?.[0]).not.toHaveProperty('cache');
  expect(turnOf(part(null), 1)?.[0]).not.toHaveProperty('cache');
});

test('sources of an earlier answer are read, so that their loss can be reported', () => {
  const url_citation = { url: 'https://example.com', title: 'T', start_index: 0, end_index: 4 };
  const message = { role: 'assistant', content: 'said', annotations: [{ type: 'url_citation', url_citation }] };
  expect(turnOf([message, { role: 'user', content: 'q' }], 1)).toEqual([
    {
      kind: 'text',
      text: 'said',
      citations: [{ kind: 'web', url: 'https://example.com', title: 'T', from: 0, to: 4 }],
    },
  ]);
  const { losses } = openaiChat.client.encodeCall(understand([message]).call(), facts);
  expect(losses).toEqual([{ field: 'block.citations', why: 'no-equivalent' }]);
});

test('a turn without anything to send leaves no empty message', () => {
  const turns = understand([]).call().turns;
  const foreign = { kind: 'foreign' as const, dialect: 'openai-responses' as const, wire: {} };
  const { body, losses } = openaiChat.client.encodeCall(
    { ...understand([]).call(), turns: [...turns, { role: 'assistant', blocks: [foreign] }, ...turns] },
    facts,
  );
  expect(body['messages']).toEqual([
    { role: 'user', content: 'q' },
    { role: 'user', content: 'q' },
  ]);
  expect(losses).toEqual([{ field: 'block.foreign', why: 'no-equivalent' }]);
});

const IMAGES = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } }];

test('images of a host whose model generates them are read, complete and streamed', () => {
  const message = { role: 'assistant', content: 'Here:', images: IMAGES };
  const whole = openaiChat.client.decodeAnswer({ id: 'x', choices: [{ message, finish_reason: 'stop' }] }, facts);
  expect(whole.candidates[0]?.blocks).toEqual([
    { kind: 'text', text: 'Here:' },
    { kind: 'media', media: 'image', mimeType: 'image/png', source: { via: 'inline', base64: PIXEL } },
  ]);
  const decoder = openaiChat.client.eventDecoder(facts);
  const chunk = (delta: JsonObject, finish_reason: string | null = null) => ({
    data: JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason }] }),
  });
  const events = [chunk({ content: 'Here:' }), chunk({ images: IMAGES }), chunk({}, 'stop')].flatMap((frame) =>
    decoder.push(frame),
  );
  expect(events.filter(({ type }) => type === 'block-note')).toEqual([
    { type: 'block-note', index: 1, note: { bytes: PIXEL } },
  ]);
});

test('a caller that allowed one call gets one, and one loss for the rest', () => {
  const { body, losses } = openaiChat.server.encodeAnswer(answer, context({ oneToolCall: true }));
  expect(JSON.stringify(body)).toContain('"id":"a"');
  expect(JSON.stringify(body)).not.toContain('"id":"b"');
  expect(losses).toEqual([{ path: 'choices[0].message.tool_calls', why: 'no-equivalent' }]);
  expect(openaiChat.server.encodeAnswer(answer, context()).losses).toEqual([]);
});

test('a streaming caller that allowed one call gets one', () => {
  const encoder = openaiChat.server.eventEncoder(context({ oneToolCall: true }));
  const events = ['a', 'b', 'c'].flatMap((id, index): Event[] => [
    { type: 'block-start', index, candidate: 0, block: { kind: 'tool-call', id, name: 'f', form: 'function' } },
    { type: 'block-delta', index, text: '{}' },
    { type: 'block-end', index },
  ]);
  const frames = events.flatMap((event) => encoder.push(event)).map(({ data }) => data);
  expect(frames).toHaveLength(2);
  expect(frames.join()).not.toContain('"id":"b"');
  expect(encoder.losses()).toEqual([{ path: 'choices[0].delta.tool_calls', why: 'no-equivalent' }]);
});

test('state that came without text stays apart from the text before it', () => {
  const seal = { owner: { dialect: 'google-generate', family: 'gemini' }, kind: 'carry', data: 'c2ln' } as const;
  const sealing: Sealing = { wrap: () => 'ENV', unwrap: () => seal, isEnvelope: (text) => text === 'ENV' };
  const encoder = openaiChat.server.eventEncoder({ ...context(), sealing });
  const events: Event[] = [
    { type: 'block-start', index: 0, candidate: 0, block: { kind: 'text' } },
    { type: 'block-delta', index: 0, text: 'said' },
    { type: 'block-end', index: 0 },
    { type: 'block-start', index: 1, candidate: 0, block: { kind: 'text' } },
    { type: 'block-seal', index: 1, seal },
  ];
  const chunks = events.flatMap((event) => encoder.push(event)).map(({ data }) => JSON.parse(data));
  const details = chunks.flatMap(({ choices }) => choices[0].delta.reasoning_details ?? []);
  const back = turnOf([{ role: 'assistant', content: 'said', reasoning_details: details }], 1, sealing);
  expect(back?.map(({ kind }) => kind)).toEqual(['text', 'redacted']);
  expect(back?.[0]).not.toHaveProperty('seal');
});
