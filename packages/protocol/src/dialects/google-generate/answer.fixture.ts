/**
 * Answers on both sides of generate content, and the state machines between them, for the tests of answers and streams.
 */
import type { TextAnswer } from '../../canonical/answer.ts';
import type { Block } from '../../canonical/content.ts';
import type { Event } from '../../canonical/events.ts';
import type { Json, JsonObject } from '../../canonical/json.ts';
import { runToEnd, targetFacts, USAGE_WANTED } from '../dialect.fixture.ts';
import type { AnswerContext, ResponseOptions, Sealing, TargetFacts } from '../dialect.ts';
import { googleGenerate } from './index.ts';

const { server, client } = googleGenerate;

export const target = (family = 'gemini', kind: 'level' | 'budget' = 'level'): TargetFacts =>
  targetFacts(
    { dialect: 'google-generate', family },
    {},
    { maxOutputTokens: 100, thinking: { kind, canDisable: false, levels: [] } },
  );

const sealing: Sealing = { wrap: () => 'RU5W', unwrap: () => undefined, isEnvelope: (text) => text === 'RU5W' };

export const context = (responseOptions: Partial<ResponseOptions> = {}): AnswerContext => ({
  requestId: 'req1',
  model: 'google/m',
  createdAtSeconds: 1_700_000_000,
  responseOptions: { ...USAGE_WANTED, ...responseOptions },
  sealing,
});

export const candidate = (parts: Json[], more: JsonObject = {}): JsonObject => ({
  content: { role: 'model', parts },
  index: 0,
  ...more,
});

/** A complete answer of an upstream. */
export const whole = (parts: Json[], more: JsonObject = {}): JsonObject => ({
  candidates: [candidate(parts, { finishReason: 'STOP', ...more })],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  responseId: 'r',
});

/** A chunk of a streamed answer. */
export const chunk = (parts: Json[], more: JsonObject = {}, beside: JsonObject = {}): JsonObject => ({
  candidates: [candidate(parts, more)],
  responseId: 'r',
  ...beside,
});

export const firstCandidate = (body: JsonObject): JsonObject =>
  (body['candidates'] as unknown as JsonObject[])[0] ?? {};

/** An answer in canonical form. */
export const answer = (blocks: Block[], more: Partial<TextAnswer> = {}): TextAnswer => ({
  id: 'x',
  model: 'y',
  candidates: [{ blocks, finish: { reason: 'stop' } }],
  usage: { prompt: 3, completion: 2 },
  ...more,
});

export const decodeChunks = (chunks: readonly Json[], facts = target()): Event[] =>
  runToEnd(
    client.eventDecoder(facts),
    chunks.map((each) => ({ data: JSON.stringify(each) })),
  );

export const encodeEvents = (events: readonly Event[], own = context()): JsonObject[] =>
  runToEnd(server.eventEncoder(own), events).map((frame) => JSON.parse(frame.data));
