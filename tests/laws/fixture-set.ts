/** The golden fixtures as values. A cell that is missing fails loudly, since a law that was not run proves nothing. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Json, JsonObject, SealOwner, TextAnswer, TextCall } from '@trivium/protocol/canonical';
import {
  type AnswerContext,
  type ChatQuirks,
  chatQuirks,
  type Dialect,
  findDialect,
  type TargetFacts,
} from '@trivium/protocol/dialects';
import type { TextTarget } from '../../packages/gateway/src/kernel/target.ts';
import { EndpointRates } from '../../packages/gateway/src/money/prices/rates.ts';

const FIXTURES = new URL('../../packages/protocol/fixtures/', import.meta.url);

export type Fixture = {
  readonly name: string;
  readonly requestText: string;
  readonly request: JsonObject;
  readonly answerText: string;
  readonly answer: Json;
  readonly stream: Buffer;
  readonly origin: { readonly kind: string; readonly date: string; readonly note: string };
  readonly facts: TargetFacts;
};

export type Canonical = { readonly call: TextCall; readonly answer: TextAnswer };

const read = (path: string): string => readFileSync(new URL(path, FIXTURES), 'utf8');
export const readJson = <T>(path: string): T => JSON.parse(read(path)) as T;

export const scenarios = readJson<readonly { readonly name: string; readonly about: string }[]>('scenarios.json');
export const folders = (path: string): string[] => readdirSync(new URL(path, FIXTURES)).sort();

export const canonicalOf = (name: string): Canonical => readJson<Canonical>(`canonical/${name}.json`);

const OWNER: SealOwner = { dialect: 'openai-chat', family: 'fixture' };

export const factsOf = (quirks: Partial<ChatQuirks> = {}, sealOwner: SealOwner = OWNER): TargetFacts => ({
  upstreamModel: 'upstream-model',
  model: {
    maxOutputTokens: 8192,
    temperature: true,
    tools: true,
    structuredOutput: true,
    thinking: { kind: 'effort', canDisable: true, levels: ['low', 'medium', 'high'] },
  },
  quirks: chatQuirks(quirks),
  sealOwner,
});

function load(name: string): Fixture {
  const at = `wire/openai-chat/${name}`;
  const own = folders(at).includes('target.json')
    ? readJson<{ quirks?: Partial<ChatQuirks>; sealOwner?: SealOwner }>(`${at}/target.json`)
    : {};
  const requestText = read(`${at}/request.json`);
  const answerText = read(`${at}/answer.json`);
  return {
    name,
    requestText,
    request: JSON.parse(requestText) as JsonObject,
    answerText,
    answer: JSON.parse(answerText) as Json,
    stream: readFileSync(new URL(`${at}/stream.sse`, FIXTURES)),
    origin: readJson(`${at}/origin.json`),
    facts: factsOf(own.quirks, own.sealOwner),
  };
}

export const fixtures: readonly Fixture[] = scenarios.map(({ name }) => load(name));

const found = findDialect('openai-chat');
if (found === undefined) throw new Error('the chat dialect is not built');
export const chat: Dialect = found;

export const contextOf = (responseOptions: Partial<AnswerContext['responseOptions']> = {}): AnswerContext => ({
  requestId: '01FIXTURE',
  model: 'maker/model',
  createdAtSeconds: 1_770_000_000,
  responseOptions: { usageInStream: true, withCost: false, hideReasoning: false, logprobs: true, ...responseOptions },
});

export const targetOf = (facts: TargetFacts): TextTarget => ({
  provider: 'fixture',
  routeKey: 'fixture maker/model',
  dialect: chat,
  modelId: 'maker/model',
  origin: 'http://upstream.example',
  path: '/chat/completions',
  streamPath: '/chat/completions',
  headers: [],
  facts,
  route: {
    isMaker: true,
    picoUsd: undefined,
    promptPicoUsd: undefined,
    completionPicoUsd: undefined,
    cacheReadPicoUsd: undefined,
    contextLength: 0,
    maxOutputTokens: 0,
  },
  shape: 0,
  card: new EndpointRates({ prices: {}, otherPrices: [] }, 'none'),
  inputModalities: new Set(['text', 'image', 'audio', 'file']),
  modelClass: 'standard',
});
