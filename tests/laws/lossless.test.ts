/** A body that is decoded and encoded by the same dialect keeps its meaning: nothing is lost. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Event, JsonObject, TextAnswer } from '@trivium/protocol/canonical';
import {
  type AnswerContext,
  type Dialect,
  findDialect,
  type RequestHead,
  type TargetFacts,
} from '@trivium/protocol/dialects';
import { SseReader } from '@trivium/protocol/framing';
import { fold, grammarProblem } from '@trivium/protocol/stream';
import { describe, expect, test } from 'vitest';

const WIRE = new URL('../../packages/protocol/fixtures/wire/', import.meta.url);
const DIALECTS = ['anthropic-messages', 'google-generate', 'openai-responses'] as const;
const MAX_EVENT_LENGTH = 1_000_000;
const CASES = DIALECTS.flatMap((id) => readdirSync(new URL(id, WIRE)).map((name) => ({ id, name })));

const FAMILIES = { 'anthropic-messages': 'claude', 'google-generate': 'gemini', 'openai-responses': 'gpt' } as const;
const THINKING = {
  'anthropic-messages': { kind: 'budget', canDisable: true, levels: [], budgetMin: 1024, budgetMax: 16_000 },
  'google-generate': { kind: 'budget', canDisable: true, levels: [], budgetMin: 1, budgetMax: 24_576 },
  'openai-responses': { kind: 'effort', canDisable: true, levels: ['low', 'medium', 'high'] },
} as const;

/** Asks a model that thinks by itself for its thoughts, too: requests without them are for one that does not. */
const UNTHINKING = { kind: 'none', canDisable: true, levels: [] } as const;

const read = (id: string, name: string, file: string): string =>
  readFileSync(new URL(`${id}/${name}/${file}`, WIRE), 'utf8');

function dialectOf(id: string): Dialect {
  const dialect = findDialect(id);
  if (dialect === undefined) throw new Error(`${id} is not built`);
  return dialect;
}

const HEAD: RequestHead = {
  model: 'maker/model',
  stream: false,
  header: (name) => (name === 'anthropic-version' ? '2023-06-01' : undefined),
  bareEnums: true,
};

const CONTEXT: AnswerContext = {
  requestId: 'R',
  model: 'maker/model',
  createdAtSeconds: 1,
  responseOptions: { usageInStream: true, withCost: false, hideReasoning: false, logprobs: true, bareEnums: true },
};

const factsOf = (id: (typeof DIALECTS)[number], request: JsonObject): TargetFacts => ({
  upstreamModel: String(request['model'] ?? ''),
  model: {
    maxOutputTokens: 16_384,
    temperature: true,
    tools: true,
    structuredOutput: true,
    thinking: id === 'openai-responses' && request['reasoning'] === undefined ? UNTHINKING : THINKING[id],
  },
  quirks: dialectOf(id).quirks({}),
  sealOwner: { dialect: id, family: FAMILIES[id] },
});

/** Without the gateway's own fields, and without the finish message that one protocol always has. */
const comparable = (answer: TextAnswer): unknown => {
  const { id: _i, model: _m, createdAtSeconds: _c, ...rest } = answer;
  const usage = Object.fromEntries(Object.entries(rest.usage).filter(([, count]) => count > 0));
  return JSON.parse(
    JSON.stringify({ ...rest, usage }, (name, value: unknown) => (name === 'message' ? undefined : value)),
  );
};

/** Default elisions: a list of no annotations. */
const withoutDefaults = (request: JsonObject): unknown =>
  JSON.parse(
    JSON.stringify(request, (name, value: unknown) =>
      name === 'annotations' && Array.isArray(value) && value.length === 0 ? undefined : value,
    ),
  );

function decodeStream(dialect: Dialect, text: string, facts: TargetFacts): Event[] {
  const reader = new SseReader(MAX_EVENT_LENGTH);
  const decoder = dialect.client.eventDecoder(facts);
  const events: Event[] = [];
  reader.push(text, (frame) => events.push(...decoder.push(frame)));
  reader.end((frame) => events.push(...decoder.push(frame)));
  return [...events, ...decoder.end()];
}

describe.each(CASES)('$id, $name', ({ id, name }) => {
  const dialect = dialectOf(id);
  const request = JSON.parse(read(id, name, 'request.json')) as JsonObject;
  const facts = factsOf(id, request);
  const answer = dialect.client.decodeAnswer(JSON.parse(read(id, name, 'answer.json')), facts);

  test('the fixture has its origin', () => {
    expect(JSON.parse(read(id, name, 'origin.json'))).toMatchObject({
      kind: 'invented',
      note: expect.stringMatching(/\S/),
    });
  });

  test('the request is encoded unchanged', () => {
    const call = dialect.server.understand(request, HEAD).call();
    const { body, losses } = dialect.client.encodeCall(call, facts);
    const { model, ...rest } = body;
    expect(losses).toEqual([]);
    expect(model === undefined ? rest : body).toEqual(withoutDefaults(request));
  });

  test('the answer keeps its meaning when it is encoded and decoded again', () => {
    const { body, losses } = dialect.server.encodeAnswer(answer, CONTEXT);
    expect(losses).toEqual([]);
    expect(comparable(dialect.client.decodeAnswer(body, facts))).toEqual(comparable(answer));
  });

  test('the stream keeps its meaning when it is encoded and decoded again', () => {
    const events = decodeStream(dialect, read(id, name, 'stream.sse'), facts);
    expect(grammarProblem(events)).toBeUndefined();
    const encoder = dialect.server.eventEncoder(CONTEXT);
    const frames = [...events.flatMap((event) => encoder.push(event)), ...encoder.end()];
    expect(encoder.losses()).toEqual([]);
    const decoder = dialect.client.eventDecoder(facts);
    const again = [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
    expect(grammarProblem(again)).toBeUndefined();
    expect(comparable(fold(again))).toEqual(comparable(fold(events)));
  });
});
