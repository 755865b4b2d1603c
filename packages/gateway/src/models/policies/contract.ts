/** A routing policy, described once: the configuration file, the admin API and the documentation all read this. */
import { FACTORS, PROTOCOL_NAMES, STRATEGIES } from '@trivium/protocol/canonical';
import Type, { type Static, type TSchema } from 'typebox';
import type { FallbackKind } from '../routing/next.ts';

const closed = { additionalProperties: false } as const;
const MAX_LIST = 64;
const MAX_WAIT_MS = 86_400_000;

const OPERATIONS_OF_POLICIES = [
  'text',
  'embed',
  'rerank',
  'moderate',
  'image',
  'video',
  // Sound.
  'speech',
  'transcription',
  'passthrough',
] as const;
const FALLBACK_KINDS: readonly FallbackKind[] = ['error', 'over-rate', 'context-exceeded', 'content-filter'];

const HOST = '^[a-z0-9][a-z0-9._-]{0,63}$';
const host = Type.String({ pattern: HOST });
const model = Type.String({ minLength: 1, maxLength: 200 });
const list = <T extends TSchema>(item: T, description: string) =>
  Type.Optional(Type.Array(item, { minItems: 1, maxItems: MAX_LIST, description }));
/** Null lifts what a less specific policy says. */
const liftable = <T extends TSchema>(schema: T, description: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { description: `${description} Null: lifted.` }));
const hosts = (description: string) =>
  liftable(Type.Array(host, { minItems: 1, maxItems: MAX_LIST }), `${description}, by id.`);
const wait = (description: string) => Type.Optional(Type.Integer({ minimum: 100, maximum: MAX_WAIT_MS, description }));
const usd = (description: string) => Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000, description }));

const PolicyScope = Type.Object(
  {
    account: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'This account and all accounts below it.' }),
    ),
    key: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'This key of the account, by its id or name.' }),
    ),
    tag: Type.Optional(
      Type.String({
        pattern: '^[a-z][a-z0-9_.-]{0,39}=[^\\x00-\\x1f\\x7f]{1,100}$',
        description: 'Requests with this tag, e.g. `team=search`. It narrows what other policies allow.',
      }),
    ),
  },
  { ...closed, description: 'Whose requests. Empty or absent: all requests of the gateway.' },
);

const PolicyMatch = Type.Object(
  {
    models: list(model, 'Ids or aliases of models, e.g. `openai/gpt-5.5`, or prefixes, e.g. `openai/*`.'),
    protocols: list(Type.Enum([...PROTOCOL_NAMES]), 'Protocols of callers.'),
    operations: list(Type.Enum([...OPERATIONS_OF_POLICIES]), 'Kinds of calls.'),
  },
  { ...closed, description: 'Which of them. Empty or absent: all.' },
);

const fallback = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 200, description: 'Id or alias of another model.' }),
    on: list(
      Type.Enum([...FALLBACK_KINDS]),
      'After which failures. Default: `error`, `over-rate` and `context-exceeded`.',
    ),
  },
  closed,
);

/** Calls and time that a canary is judged by, where its policy names none. */
export const DEFAULT_LEAST_CALLS = 50;
export const DEFAULT_WINDOW_SECONDS = 300;
/** The newest calls of a window that count. */
export const MAX_WINDOW_CALLS = 1000;

const stepBack = Type.Object(
  {
    errorPercent: Type.Optional(
      Type.Number({ minimum: 0, maximum: 100, description: 'More failed calls than this, in percent.' }),
    ),
    firstTokenP95Ms: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_WAIT_MS,
        description: 'Streams: a higher 95th percentile of the time to the first content, in ms.',
      }),
    ),
    usdPerRequest: usd('A higher average cost of an answered request, in US dollars.'),
    windowSeconds: Type.Optional(
      Type.Integer({
        minimum: 10,
        maximum: 86_400,
        description: `Time that counts, in seconds; of more than ${MAX_WINDOW_CALLS} calls the newest. Default: ${DEFAULT_WINDOW_SECONDS}.`,
      }),
    ),
    leastCalls: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_WINDOW_CALLS,
        description: `Fewer calls than this are not judged. Default: ${DEFAULT_LEAST_CALLS}.`,
      }),
    ),
  },
  {
    ...closed,
    description:
      'When the canary steps back: it then gets no calls on any node until an operator resumes or changes it. Each process judges the calls it has made. Default: never.',
  },
);

/** What a policy can say. */
const policyMembers = {
  fallbacks: liftable(
    Type.Array(fallback, { minItems: 1, maxItems: 8 }),
    'Other models to call after a failure, in this order. Never for embeddings.',
  ),
  strategy: liftable(
    Type.Enum([...STRATEGIES, ...FACTORS]),
    'What orders the hosts of a model, unless the caller says otherwise.',
  ),
  order: hosts('Hosts to call first, in this order, unless the caller says otherwise'),
  weights: liftable(
    Type.Record(
      Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,63}(#[1-9][0-9]?)?$' }),
      Type.Number({ minimum: 0, maximum: 1_000_000 }),
      closed,
    ),
    'Shares of first calls by host (`azure`), or by its credential (`azure#2`), unless the caller says otherwise. Hosts without a share are called after failures only.',
  ),
  sticky: Type.Optional(
    Type.Boolean({
      description:
        '`true`: what `weights` draw stays the same for all calls of a conversation with the same key. `false`: lifted.',
    }),
  ),
  canary: liftable(
    Type.Object(
      {
        model: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 200,
            description: 'Id or alias of another model. Not for embeddings.',
          }),
        ),
        host: Type.Optional(
          Type.String({ pattern: HOST, description: 'A host of the same model, by id. Either this or `model`.' }),
        ),
        percent: Type.Number({
          minimum: 0,
          maximum: 100,
          description: 'Share of conversations that go there first, in percent.',
        }),
        stepBack: Type.Optional(stepBack),
      },
      closed,
    ),
    'Sends a share of calls to another model or host first, unless the caller names hosts, models or no fallback. A call that fails there is made as if there were no canary.',
  ),
  only: hosts('The only hosts that may be called'),
  ignore: hosts('Hosts that are never called'),
  maxPrice: liftable(
    Type.Object(
      {
        promptUsdPerMillion: usd('Highest price of input, in US dollars per million tokens.'),
        completionUsdPerMillion: usd('Highest price of output, in US dollars per million tokens.'),
      },
      closed,
    ),
    'Most expensive catalogue price of a host. A host without a price is too expensive.',
  ),
  region: liftable(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems: 1, maxItems: MAX_LIST }),
    'The only regions hosts may work in. A host whose region is unknown is left out.',
  ),
  retention: liftable(
    Type.Integer({ minimum: 0, maximum: 36_500 }),
    'Most days a host may keep what it is sent; 0: nothing. A host of which it is unknown is left out.',
  ),
  trains: Type.Optional(
    Type.Boolean({
      description: '`false`: only hosts known not to train on what they are sent. `true`: lifted.',
    }),
  ),
  strict: Type.Optional(
    Type.Boolean({
      description: '`true`: refuse a request if a parameter would be dropped or changed. `false`: lifted.',
    }),
  ),
  timeouts: liftable(
    Type.Object(
      {
        firstByteMs: wait("Time to the first content, in ms. Replaces the gateway's."),
        silenceMs: wait("Longest silence within a streamed answer, in ms. Replaces the gateway's."),
        totalMs: wait("Time for the request with all attempts, in ms. Replaces the gateway's."),
      },
      closed,
    ),
    'Timeouts of the model asked for.',
  ),
};

export const Policy = Type.Object(
  {
    name: Type.String({
      pattern: '^[a-z0-9][a-z0-9._-]{0,63}$',
      description: 'Name of the policy in decisions and records. Unique.',
    }),
    scope: Type.Optional(PolicyScope),
    match: Type.Optional(PolicyMatch),
    ...policyMembers,
  },
  closed,
);

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

export type Policy = DeepReadonly<Static<typeof Policy>>;
export type Canary = NonNullable<Policy['canary']>;
export const CANARY_RULES = ['errorPercent', 'firstTokenP95Ms', 'usdPerRequest'] as const;
export type CanaryRule = (typeof CANARY_RULES)[number];
export type PolicyMember = keyof typeof policyMembers;
export type PolicyOperation = (typeof OPERATIONS_OF_POLICIES)[number];

export const POLICY_MEMBERS = Object.keys(policyMembers) as readonly PolicyMember[];
