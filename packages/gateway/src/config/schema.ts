// Schema of the configuration file. It documents every field, once: the checker, the reference and `trivium config
// schema` all read it. `check-network.ts` and the `build-*.ts` files check fields against each other.

import { DEFAULT_JSON_BOUNDS } from '@trivium/protocol/framing';
import Type, { type Static } from 'typebox';
import { LOG_LEVELS } from '../kernel/log-level.ts';
import { rateLimitsSchema } from '../money/limits/rates-schema.ts';
import { GENAI_FINISH_REASONS } from './config.ts';
import { alertsSchema } from './schema-alerts.ts';
import { blobsSchema } from './schema-blobs.ts';
import { mediaSchema, webhooksSchema } from './schema-fetching.ts';
import { explainSchema, idempotencySchema, ledgerSchema, sealsSchema } from './schema-memory.ts';
import { catalogueSchema, modelsSchema } from './schema-models.ts';
import { paymentsSchema, pricesSchema, usageSchema } from './schema-money.ts';
import { operationsSchema } from './schema-operations.ts';
import { keysSchema, providersSchema } from './schema-parties.ts';
import { bytes, closed, count, MAX_WAIT_MS, MIB, milliseconds, section, wait } from './schema-parts.ts';
import { callerTokensSchema, signInSchema } from './schema-people.ts';
import { overloadSchema, readinessSchema, warmUpSchema, watchdogSchema } from './schema-process.ts';
import { clickhouseSchema, databaseSchema, redisSchema, secretsSchema } from './schema-stores.ts';
import { tracesSchema } from './schema-traces.ts';

const port = (fallback: number, description: string) =>
  Type.Integer({ minimum: 0, maximum: 65_535, default: fallback, description });
const host = (fallback: string, description: string) =>
  Type.String({ minLength: 1, maxLength: 253, default: fallback, description });
const publicUrl = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 2048, description }));
const mount = (fallback: readonly string[], description: string) =>
  Type.Array(Type.String({ minLength: 2, maxLength: 200 }), { maxItems: 8, default: [...fallback], description });

const listen = section(
  {
    host: host('0.0.0.0', 'Address the data plane listens on.'),
    port: port(8080, 'Port of the data plane; 0 takes any free one.'),
    trustedProxies: Type.Array(Type.String({ minLength: 2, maxLength: 64 }), {
      maxItems: 100,
      default: [],
      description:
        'Addresses or ranges of reverse proxies in front, e.g. `10.0.3.0/24`. From these peers, on both listeners, the address of a caller is the rightmost of `X-Forwarded-For` that is not one of them, and `X-Forwarded-Proto` is the scheme of links. From others both headers are ignored.',
    }),
  },
  'Where callers reach the gateway.',
);

const admin = section(
  {
    host: host('127.0.0.1', 'Address of the admin listener. Keep it on loopback or a private network.'),
    port: port(8081, 'Port of the admin listener; 0 takes any free one.'),
    secret: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4096,
        description:
          'The secret of operators for the admin API, best as `env:NAME` or `file:/path`. Without it, the first start with a database generates one and prints it on a terminal, or writes it to the file `operator-secret` (mode 0600) in `ledger.journal`.',
      }),
    ),
    console: Type.Boolean({
      default: true,
      description: 'Whether this listener, and the one for members, serve the web console below `/console/`.',
    }),
    publicUrl: publicUrl(
      'How browsers reach the admin listener, e.g. `https://admin.example.com`: for cookies, links and the redirect URLs of sign-in. Needed behind a reverse proxy that terminates TLS; without it the address is read from the request. Sessions need `https`, or an address of this machine.',
    ),
    members: Type.Optional(
      Type.Object(
        {
          host: host('127.0.0.1', 'Address of the listener for members.'),
          port: port(8083, 'Port of the listener for members; 0 takes any free one.'),
          publicUrl: publicUrl('How browsers reach this listener, e.g. `https://console.example.com`.'),
        },
        {
          ...closed,
          description:
            'A further listener, for members of accounts: sign-in and what members may do at the admin API. It accepts no operator credential and serves no operator endpoints, no probes and no metrics. Absent: there is none.',
        },
      ),
    ),
  },
  'The listener for operators: `/livez`, `/readyz`, `/metrics`, the admin API below `/admin/v1`, and the web console below `/console/`.',
);

const mounts = section(
  {
    chat: mount(['/api/v1'], 'Prefixes of the chat completions protocol.'),
    messages: mount(['/api/anthropic', '/api/messages'], 'Prefixes of the messages protocol.'),
    genai: mount(['/api/vertex-ai', '/api/genai'], 'Prefixes of the generate-content protocol.'),
    short: Type.Boolean({
      default: true,
      description:
        'Also serves `/v1` (all three protocols), `/v1beta` and `/v1beta1` (generate content), so that base URLs work as with the vendors: `http://host/v1` for OpenAI SDKs, `http://host` for those of Anthropic and Google. Prefixes named above take precedence.',
    }),
  },
  'Path prefixes of the three protocols. An empty list switches a protocol off, at the short paths too.',
);

const aliases = Type.Record(
  Type.String({ pattern: '^[^\\u0000-\\u0020]{1,200}$' }),
  Type.String({ minLength: 1, maxLength: 200 }),
  {
    ...closed,
    default: {},
    description:
      "Short names callers may use: the alias on the left, the id of a model or its maker's name for it on the right. They come before the makers' own names, which need no alias.",
  },
);

const auto = section(
  {
    models: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      maxItems: 64,
      default: [],
      description: 'Ids or aliases of the models it chooses among. Empty: there is no `trivium/auto`.',
    }),
  },
  'The model `trivium/auto`, which leaves the choice of a model to the gateway.',
);

const limits = section(
  {
    bodyBytes: bytes(32 * MIB, 1024, 'Largest request body accepted, in bytes.'),
    bodyBytesPerSecond: bytes(1024, 1, 'Lowest average rate at which a request body may arrive, in bytes per second.'),
    headerBytes: bytes(16_384, 1024, 'Largest request head accepted, in bytes.'),
    headerCount: count(200, 'Most header lines accepted in a request.'),
    jsonDepth: count(DEFAULT_JSON_BOUNDS.depth, 'Deepest nesting accepted in a JSON body.'),
    jsonMembers: count(DEFAULT_JSON_BOUNDS.membersPerObject, 'Most members accepted in one object of a JSON body.', 16),
    jsonElements: count(
      DEFAULT_JSON_BOUNDS.elementsPerArray,
      'Most elements accepted in one array of a JSON body.',
      16,
    ),
    jsonValues: Type.Integer({
      minimum: 64,
      maximum: 100_000_000,
      default: DEFAULT_JSON_BOUNDS.values,
      description: 'Most values accepted in a JSON body, counted by its opening brackets and its commas.',
    }),
    jsonStringBytes: Type.Optional(
      Type.Integer({
        minimum: 65_536,
        maximum: 1024 * MIB,
        description:
          'Longest string accepted in a JSON body, in bytes as it is written. Without it as long as `limits.bodyBytes`.',
      }),
    ),
    urlLength: count(8192, 'Longest request target accepted, in characters.', 64),
    answerBytes: bytes(64 * MIB, 1024, 'Largest non-streamed answer accepted from an upstream, in bytes.'),
    eventBytes: bytes(8 * MIB, 1024, 'Largest single stream event accepted from an upstream, in bytes.'),
    connections: count(20_000, 'Most connections from callers open at once.'),
    keylessConnections: count(
      512,
      'Most connections of one address open at once that have shown no valid key. Beyond it, those that cost most so far are closed; new ones are accepted. Peers in `listen.trustedProxies` are not counted, but the requests they forward without a key are, by the address they report.',
    ),
    pieceCount: count(
      1024,
      'Pieces of a request body after which their average size is judged by `limits.pieceBytes`.',
    ),
    pieceBytes: bytes(
      64,
      1,
      'Smallest average size of the pieces (chunks) in which a request body may arrive, in bytes, once there are `limits.pieceCount` of them. 1 turns it off.',
    ),
    wireRatio: count(
      8,
      'Most bytes on the connection for each byte of a request body, once 64 KiB have arrived: the rest is chunk headers, extensions and trailers.',
    ),
    unpackRatio: count(
      100,
      'Most bytes that a compressed request body (`content-encoding: gzip` or `zstd`) may unpack to for each byte sent, beyond the first 1 MiB. `limits.bodyBytes` bounds what it unpacks to in all.',
    ),
    pipelined: count(
      1,
      'Requests of one connection that are under way at once. Those that arrive before earlier answers ended wait, and the connection is not read meanwhile.',
    ),
    turnBytes: bytes(
      MIB,
      65_536,
      'Bytes of streams and bodies that one turn of the event loop handles; the rest waits for the next turn, and accounts take turns.',
    ),
    turnEvents: count(
      2048,
      'Events of streams that one turn of the event loop handles; the rest waits for the next turn, and accounts take turns.',
    ),
    floodBytes: bytes(
      MIB,
      1024,
      'Most bytes an upstream may send in a stream without any content in between (comments, pings, empty deltas); more ends the stream as broken. What repeats the request is counted against its size.',
    ),
    floodEvents: count(
      10_000,
      'Most events an upstream may send in a stream without any content in between, each interim head counted as 20; more ends the stream as broken.',
    ),
    inFlight: count(10_000, 'Most requests being served at once; more are refused as overload.'),
    inFlightPerKey: count(10_000, 'Most requests of one key being served at once.'),
    memoryBytes: Type.Optional(
      Type.Integer({
        minimum: MIB,
        maximum: 1024 * 1024 * MIB,
        description:
          'Most memory, in bytes, that one process holds for callers at once: request bodies, answers until they are read, copies on threads, stored answers and captured content, each counted with what it takes in memory (a body four times its size). One account may use half of it. New requests beyond it are refused, answers wait at their upstream. Without it half of the memory of the control group or the machine, divided by the number of workers, but at most 60 % of the heap limit of Node.js, and at least 64 MiB.',
      }),
    ),
  },
  'Limits on size and number. Nothing in the gateway grows without one of these.',
);

const modelClass = (who: string) =>
  section(
    {
      firstByteMs: wait('Replaces `timeouts.firstByteMs`.'),
      silenceMs: wait('Replaces `timeouts.silenceMs`.'),
      idleMs: wait('Replaces `timeouts.idleMs`.'),
      totalMs: wait('Replaces `timeouts.totalMs`.'),
    },
    `For ${who}.`,
  );

const timeouts = section(
  {
    headersMs: milliseconds(10_000, 'Time a caller has to send the request head.'),
    bodyGraceMs: milliseconds(
      10_000,
      'Time a request body may arrive at any rate; after that, `limits.bodyBytesPerSecond` applies.',
    ),
    requestMs: milliseconds(300_000, 'Time a caller has to send the whole request.'),
    keepAliveMs: milliseconds(65_000, "How long an idle caller's connection is kept open."),
    connectMs: milliseconds(3_000, 'Time to open a connection to an upstream.'),
    firstByteMs: milliseconds(
      120_000,
      "Time to the first content of an upstream's answer, or to the head of one that is not streamed.",
    ),
    silenceMs: milliseconds(60_000, 'Longest silence of an upstream in the middle of a streamed answer.'),
    idleMs: milliseconds(
      300_000,
      'Longest time in the middle of a streamed answer in which an upstream sends pings, comments or empty deltas, but no content, usage or end. Never less than the `silenceMs` that applies.',
    ),
    totalMs: milliseconds(1_800_000, 'Time for a request as a whole, all attempts included.'),
    holdMs: milliseconds(
      15_000,
      'How long the head of a streamed answer is held back for its first content, so that a failure can still fail over or get a status. After that the stream is opened and kept alive.',
    ),
    classes: section(
      {
        fast: modelClass('embeddings'),
        standard: modelClass('models that answer at once'),
        reasoning: modelClass('models that reason before they answer'),
        media: modelClass('models that make images, audio or video'),
      },
      'Timeouts for upstreams by class of model. Absent values are derived from the general setting: `fast` half of it, `reasoning` and `media` five times as long, for the first byte, for silence and for idling.',
    ),
    drainNoticeMs: Type.Integer({
      minimum: 0,
      maximum: MAX_WAIT_MS,
      default: 5000,
      description:
        'After SIGTERM, how long new connections are still accepted while `/readyz` answers 503, so that load balancers notice.',
    }),
    drainMs: milliseconds(
      30_000,
      'Time running requests have to finish once no new connections are accepted. Then streams get an error and are cut.',
    ),
    keepAliveToCallerMs: milliseconds(8_000, 'Silence on a stream after which a keep-alive is sent to the caller.'),
    slowReaderMs: milliseconds(60_000, 'How long a caller may leave sent bytes unread before it is disconnected.'),
  },
  'Timeouts, in milliseconds.',
);

const retries = section(
  {
    maxAttempts: Type.Integer({
      minimum: 1,
      maximum: 3,
      default: 3,
      description: 'Most upstream attempts for one request, the first included.',
    }),
    budgetPercent: Type.Integer({
      minimum: 0,
      maximum: 200,
      default: 10,
      description:
        'Retry budget of a provider, in percent of the requests that began there; a small floor is always allowed. 200 is practically no limit. Going to another provider does not spend it.',
    }),
    budgetSaved: count(100, 'Most retries the budget of a provider saves up.'),
    failoverReserve: count(
      20,
      'Failovers that may fail at a provider before further ones spend the retry budget of the provider they come from; each answered one gives one back. A provider that answers receives any number.',
    ),
    backoffMs: milliseconds(
      250,
      'Longest pause before the first retry at the same host; exponential backoff with jitter: doubled each time.',
    ),
    maxWaitMs: milliseconds(2_000, 'Longest pause of all. A host that demands a longer one is not retried.'),
  },
  'Retries and failover after a failed attempt. Another host is tried at once, the same one only after a pause.',
);

const health = section(
  {
    failures: count(5, 'Consecutive failures, under any credential, that open the circuit of a host for one model.'),
    stalls: count(3, 'Consecutive timeouts that do.'),
    outMs: milliseconds(10_000, 'How long it is open the first time; doubled each further time in a row.'),
    maxOutMs: milliseconds(60_000, 'How long at most.'),
  },
  'Circuit breaking: when a host is taken out of service. If all hosts of a model are, they are tried anyway.',
);

const hedging = section(
  {
    maxPercent: Type.Integer({
      minimum: 0,
      maximum: 100,
      default: 10,
      description: 'Most second requests, in percent of the requests with hedging.',
    }),
  },
  'Hedging: a second request to another host when the first token is late. Only for requests and keys that enable it.',
);

const cors = section(
  {
    origins: Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
      maxItems: 100,
      default: [],
      description: 'Origins browsers may call from, e.g. `https://app.example.com`; `*` for all. Empty: CORS is off.',
    }),
  },
  'Cross-origin access from browsers.',
);

const upstream = section(
  {
    proxy: Type.Optional(
      Type.String({
        maxLength: 2048,
        description: 'HTTP proxy all upstream calls go through: an http(s) URL, or a reference to one.',
      }),
    ),
    ca: Type.Array(Type.String({ minLength: 1, maxLength: MIB }), {
      maxItems: 64,
      default: [],
      description: 'Further certificate authorities to trust: `file:/path/ca.pem`, `env:NAME` or a PEM text.',
    }),
    connectionsPerOrigin: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description:
          'Most connections open to one upstream origin. Without it as many as `limits.inFlight`: with fewer, admitted requests wait for a connection.',
      }),
    ),
    allowInsecure: Type.Boolean({
      default: false,
      description:
        'Allow plain `http` to hosts outside loopback, private addresses and single-label names. Credentials are then sent unencrypted.',
    }),
  },
  'Connections to upstream hosts.',
);

const genai = section(
  {
    finishReason: Type.Enum([...GENAI_FINISH_REASONS], {
      default: 'auto',
      description: 'Spelling of `finishReason`: `prefixed`, `bare` (`STOP`), or `auto` by the calling SDK.',
    }),
  },
  'The generate-content protocol.',
);

const log = section(
  { level: Type.Enum([...LOG_LEVELS], { default: 'info', description: 'Lowest level that is written.' }) },
  'The log: JSON lines on standard output.',
);

export const ConfigSchema = Type.Object(
  {
    listen,
    admin,
    signIn: signInSchema,
    keys: keysSchema,
    callerTokens: callerTokensSchema,
    providers: providersSchema,
    models: modelsSchema,
    catalogue: catalogueSchema,
    prices: pricesSchema,
    rateLimits: rateLimitsSchema,
    usage: usageSchema,
    aliases,
    auto,
    mounts,
    limits,
    overload: overloadSchema,
    readiness: readinessSchema,
    warmUp: warmUpSchema,
    watchdog: watchdogSchema,
    timeouts,
    retries,
    health,
    hedging,
    cors,
    upstream,
    genai,
    seals: sealsSchema,
    media: mediaSchema,
    blobs: blobsSchema,
    webhooks: webhooksSchema,
    alerts: alertsSchema,
    traces: tracesSchema,
    explain: explainSchema,
    idempotency: idempotencySchema,
    ledger: ledgerSchema,
    operations: operationsSchema,
    database: databaseSchema,
    redis: redisSchema,
    clickhouse: clickhouseSchema,
    secrets: secretsSchema,
    payments: paymentsSchema,
    log,
  },
  { ...closed, title: 'Trivium configuration', description: 'The configuration file of the gateway.' },
);

export type ConfigData = Static<typeof ConfigSchema>;
