/**
 * One stand for all pitfalls: strict hosts of all four dialects, hosts with the quirks of the pitfalls, and hosts
 * that send the answers of the test. Every request is sent in one way and checked on both ends.
 */
import { expect } from 'vitest';
import { type Canned, openStandBesideCanned } from './canned-upstream.ts';
import { moreModels } from './generate-models.ts';
import { messagesHosts } from './messages-probe.ts';
import { cannedModel } from './responses-canned.ts';
import { responsesHosts } from './responses-probe.ts';
import { type Json, type ParsedAnswer, post, type RequestOptions, type Road, type RoadReply } from './roads.ts';
import { type Stand, UPSTREAM_SECRET } from './stand.ts';
import { waitUntil } from './wait-until.ts';

export const CLAUDE = 'anthropic/claude-sonnet-4-5';
export const GEMINI = 'google/gemini-2.5-flash';
export const GPT = 'openai/gpt-4o';
export const GPT_RESPONSES = 'openai/gpt-4o-r';
export const GPT_THINKER = 'openai/gpt-5-r';
export const CHAT_THINKER = 'compatible/thinker';
/** Requires call ids of nine letters or digits. */
export const NINE_LETTERS = 'mistral/nine';
/** Requires its reasoning back beside calls. */
export const WANTS_REASONING = 'deepseek/wants';
/** A copy of the messages API with structured output by a tool only. */
export const BY_TOOL = 'by-tool/claude-sonnet-4-5';
/** A Google model with the smaller schema language only. */
export const SMALL_SCHEMA = 'small/gemini-2.5-flash';

export const CANNED = {
  chat: cannedModel('canned-chat'),
  messages: cannedModel('canned-messages'),
  google: cannedModel('canned-google'),
  responses: cannedModel('canned-responses'),
} as const;

const LIMITS = { contextLength: 128_000, maxOutputTokens: 16_384 };
const EFFORT = { thinking: { kind: 'effort', levels: ['low', 'medium', 'high'] } };
const BUDGET = { thinking: { kind: 'budget', canDisable: true, min: 1024, max: 16_000 } };
const SECRET = { credential: UPSTREAM_SECRET };

const habits = (simulatorUrl: string) => ({
  providers: {
    mistral: { ...SECRET, baseUrl: `${simulatorUrl}/compatible@mistral/v1` },
    deepseek: { ...SECRET, baseUrl: `${simulatorUrl}/compatible@deepseek/v1` },
    'by-tool': {
      ...SECRET,
      dialect: 'anthropic-messages',
      baseUrl: `${simulatorUrl}/anthropic@by-tool`,
      quirks: { messagesOutput: 'tool' },
    },
    small: {
      ...SECRET,
      dialect: 'google-generate',
      baseUrl: `${simulatorUrl}/google@small/v1beta`,
      auth: 'x-goog-api-key',
      quirks: { jsonSchemaTools: false, jsonSchemaOutput: false, cloudFields: false },
    },
  },
  models: [
    { id: NINE_LETTERS, ...LIMITS, endpoints: [{ provider: 'mistral' }] },
    { id: WANTS_REASONING, ...LIMITS, capabilities: EFFORT, endpoints: [{ provider: 'deepseek' }] },
    { id: BY_TOOL, ...LIMITS, capabilities: BUDGET, endpoints: [{ provider: 'by-tool' }] },
    { id: SMALL_SCHEMA, ...LIMITS, endpoints: [{ provider: 'small' }] },
  ],
});

const canned = (url: string) => {
  const hosts = { chat: 'openai-chat', messages: 'anthropic-messages', google: 'google-generate' };
  const all = Object.entries({ ...hosts, responses: 'openai-responses' });
  return {
    providers: Object.fromEntries(
      all.map(([name, dialect]) => [`canned-${name}`, { dialect, baseUrl: url, credential: 'sk-canned' }]),
    ),
    models: all.map(([name]) => ({
      id: `canned-${name}/any`,
      ...LIMITS,
      capabilities: BUDGET,
      endpoints: [{ provider: `canned-${name}`, upstreamModel: 'any' }],
    })),
  };
};

export type Seen = RoadReply & {
  readonly json: Json;
  readonly losses: readonly string[];
  /** Bodies that the simulator received, and its refusals. */
  readonly sent: readonly Json[];
  readonly sentText: string;
  readonly refusals: readonly string[];
  /** The parsed answer; fails when there was none. */
  parsed(): ParsedAnswer;
};

export type PitfallStand = Stand & {
  say(answer: Canned): void;
  /** Sends the protocol's own body with members merged over it. */
  ask(
    road: Road,
    model: string,
    turns: readonly Json[],
    responseOptions?: RequestOptions,
    members?: Json,
  ): Promise<Seen>;
  /** The same, with a successful answer and no refusal by the upstream. */
  served(
    road: Road,
    model: string,
    turns: readonly Json[],
    responseOptions?: RequestOptions,
    members?: Json,
  ): Promise<Seen>;
  /** The usage dimensions that the gateway recorded for a request. */
  metersOf(seen: Seen): Promise<Readonly<Record<string, number>>>;
};

export async function openPitfallStand(): Promise<PitfallStand> {
  const stand = await openStandBesideCanned((cannedUrl) => ({
    alsoHosts: (simulatorUrl) => {
      const sets = [
        responsesHosts(simulatorUrl),
        messagesHosts(simulatorUrl),
        moreModels(simulatorUrl),
        habits(simulatorUrl),
        canned(cannedUrl),
      ];
      return {
        providers: Object.assign({}, ...sets.map(({ providers }) => providers)) as Record<string, unknown>,
        models: sets.flatMap(({ models }) => models),
      };
    },
  }));
  const ask: PitfallStand['ask'] = async (road, model, turns, responseOptions = {}, members = {}) => {
    const before = stand.simulator.truth.read().length;
    const stream = responseOptions.stream === true;
    const reply = await post(
      stand,
      road,
      model,
      { ...road.body(model, turns, responseOptions), ...members },
      { stream },
    );
    const entries = stand.simulator.truth.read().slice(before);
    return {
      ...reply,
      json: reply.text.startsWith('{') ? (JSON.parse(reply.text) as Json) : {},
      losses: reply.headers.get('x-trivium-losses')?.split(',') ?? [],
      sent: entries.map(({ body }) => body as Json),
      sentText: entries.at(-1)?.bodyText ?? '',
      refusals: entries.flatMap(({ refusal }) => refusal ?? []),
      parsed: () => {
        if (reply.status !== 200) throw new Error(`${road.name} to ${model}: ${reply.status} ${reply.text}`);
        return stream ? road.parseStream(reply.text) : road.parse(reply.text);
      },
    };
  };
  return {
    ...stand,
    ask,
    served: async (...given) => {
      const seen = await ask(...given);
      expect({ status: seen.status, refusals: seen.refusals, text: seen.status === 200 ? '' : seen.text }).toEqual({
        status: 200,
        refusals: [],
        text: '',
      });
      seen.parsed();
      return seen;
    },
    metersOf: async ({ headers }) => {
      const found = () => stand.records.find(({ requestId }) => requestId === headers.get('x-request-id'));
      await waitUntil('the record was written', () => found() !== undefined);
      return (found()?.reading?.usage ?? {}) as Readonly<Record<string, number>>;
    },
  };
}

/** Every value under a member of that name, anywhere in a tree, in order. */
export function under(tree: unknown, name: string): unknown[] {
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([member, value]) => [
    ...(member === name ? [value] : []),
    ...under(value, name),
  ]);
}

/** Every object of a tree that matches. */
export function objectsWhere(tree: unknown, holds: (object: Json) => boolean): Json[] {
  if (typeof tree !== 'object' || tree === null) return [];
  const inside = Object.values(tree).flatMap((value) => objectsWhere(value, holds));
  return !Array.isArray(tree) && holds(tree as Json) ? [tree as Json, ...inside] : inside;
}

/** The messages of the first body an upstream received. */
export const messagesIn = ({ sent }: Seen): Json[] => (sent[0]?.['messages'] ?? []) as Json[];

export const hello = (road: Road): Json[] => [road.user('Hello')];

/** A schema for tools and answers: an object with one city. */
export const PLACE = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
