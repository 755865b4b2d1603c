/** The architecture as data: which zone may import what. `check-imports.ts` checks every import in the tree against it. */
export type Zone = {
  /** Folder or file below `packages/`. The longest match decides where a file belongs. */
  readonly path: string;
  /** What it is for, as the table in ARCHITECTURE.md says it. */
  readonly about: string;
  /** Other zones it may import, by path prefix. Its own files are always allowed. */
  readonly zones: readonly string[];
  /** Packages it may import; `node:*` allows all of Node. */
  readonly packages: readonly string[];
};

const PROTOCOL = ['protocol/canonical', 'protocol/framing', 'protocol/stream', 'protocol/dialects'];

export const IMPORT_TABLE: readonly Zone[] = [
  { path: 'protocol/src/canonical', about: 'the model of calls, answers and errors', zones: [], packages: [] },
  {
    path: 'protocol/src/framing',
    about: 'bytes to frames; does not know the canonical model',
    zones: [],
    packages: [],
  },
  {
    path: 'protocol/src/stream',
    about: 'events of a streamed answer, put together and taken apart',
    zones: ['protocol/src/canonical'],
    packages: [],
  },
  {
    path: 'protocol/src/passes',
    about: 'changes to a call that several dialects need before they can encode it',
    zones: ['protocol/src/canonical'],
    packages: [],
  },
  {
    path: 'protocol/src/dialects',
    about: 'one folder per wire format; never another dialect, never framing',
    zones: ['protocol/src/canonical', 'protocol/src/passes', 'protocol/src/stream'],
    packages: ['typebox'],
  },

  // The districts of the gateway, from the ground up. A district imports only those before it, so there are no circles.
  {
    path: 'gateway/src/kernel',
    about: 'leaf: types of ports, clock, bounded structures',
    zones: PROTOCOL,
    packages: ['node:crypto'],
  },
  {
    path: 'gateway/src/telemetry',
    about: 'logs, metrics, traces',
    zones: ['gateway/src/kernel', ...PROTOCOL],
    packages: [
      'pino',
      'prom-client',
      '@opentelemetry/api',
      '@opentelemetry/exporter-trace-otlp-proto',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-trace',
      'node:*',
    ],
  },
  {
    path: 'gateway/src/people',
    about: 'accounts, identity providers, secrets at rest',
    zones: ['gateway/src/kernel', 'protocol/canonical', 'protocol/framing'],
    packages: ['ipaddr.js', 'jose', 'openid-client', 'node:crypto', 'node:net', 'node:zlib'],
  },
  {
    path: 'gateway/src/money',
    about: 'prices, ledger, journal, limits, usage records',
    zones: [],
    packages: [],
  },
  {
    path: 'gateway/src/money/ledger',
    about: 'holds, charges and credit of a node, and the SQL that keeps accounts',
    zones: ['gateway/src/kernel', 'gateway/src/money/journal', 'gateway/src/money/prices', ...PROTOCOL],
    packages: ['kysely', 'node:crypto', 'node:fs', 'node:path'],
  },
  {
    path: 'gateway/src/money/limits',
    about: 'rates and budgets, shared between nodes by leases',
    zones: ['gateway/src/kernel', 'gateway/src/people/accounts/rights.ts', ...PROTOCOL],
    packages: ['typebox'],
  },
  {
    path: 'gateway/src/money/usage',
    about: 'finished requests as events for the journal, and questions about them',
    zones: ['gateway/src/kernel', 'gateway/src/money/prices', 'gateway/src/telemetry', ...PROTOCOL],
    packages: ['node:timers/promises'],
  },
  {
    path: 'gateway/src/money/ledger/core',
    about: 'the rules of the ledger; no clock, no I/O, so that `tests/ledger-model` runs the same code as production',
    zones: [],
    packages: [],
  },
  {
    path: 'gateway/src/money/journal',
    about: 'checked lines on a local disk that outlive the process; does not interpret them',
    zones: [],
    packages: ['node:fs', 'node:os', 'node:path', 'node:zlib'],
  },
  {
    path: 'gateway/src/money/prices',
    about: 'arithmetic from usage and prices to a bill; no clock, no I/O',
    zones: ['gateway/src/kernel', 'protocol/canonical'],
    packages: [],
  },
  {
    path: 'gateway/src/models',
    about: 'catalogue, providers, directory, routing, health',
    zones: ['gateway/src/kernel', 'gateway/src/money/prices', ...PROTOCOL],
    packages: ['typebox', 'node:*'],
  },
  { path: 'gateway/src/models/names', about: 'suggests known names for a mistyped one', zones: [], packages: [] },
  {
    path: 'gateway/src/models/health',
    about: 'circuit breakers, from the outcomes of calls',
    zones: ['gateway/src/kernel'],
    packages: [],
  },
  {
    path: 'gateway/src/models/providers',
    about: 'one data file per provider',
    zones: PROTOCOL,
    packages: [],
  },
  {
    path: 'gateway/src/models/policies',
    about:
      "the operator's routing policies: their members, what contradicts, and what holds for a call; no clock, no I/O",
    zones: ['gateway/src/kernel', 'gateway/src/models/routing', 'protocol/canonical'],
    packages: ['typebox'],
  },
  {
    path: 'gateway/src/models/routing',
    about: 'candidates and preferences to a plan, and why others are excluded; no clock, no state, no I/O',
    zones: ['gateway/src/kernel', 'protocol/canonical'],
    packages: [],
  },
  {
    path: 'gateway/src/store',
    about: 'the engines: connections, migrations, jobs, Redis; the rows of a resource are with the resource',
    zones: [
      'gateway/src/kernel',
      'gateway/src/money/ledger/core/ledger-state.ts',
      'gateway/src/money/limits/leases.ts',
      'gateway/src/people/accounts/rights.ts',
      'gateway/src/telemetry/log.ts',
    ],
    packages: ['kysely', 'pg', 'pg-boss', 'ioredis', 'node:*'],
  },
  {
    path: 'gateway/src/upstream',
    about:
      'the only place that dials out, through one dialer (but for mail, and the exporter of traces in `telemetry`), and what signs requests',
    zones: [
      'gateway/src/kernel',
      'gateway/src/models/providers/signers',
      'gateway/src/people/accounts/address-ranges.ts',
      ...PROTOCOL,
    ],
    packages: ['aws4', 'ipaddr.js', 'jose', 'nodemailer', 'undici', 'node:*'],
  },
  // Nothing of Node on the path of a call: I/O, clocks and ids are injected.
  {
    path: 'gateway/src/calls',
    about:
      'a call from request to settlement: `entry`, `plan`, `admit`, `lanes`, `exchange`, and one file per endpoint',
    zones: [
      'gateway/src/kernel',
      'gateway/src/models/policies',
      'gateway/src/models/routing',
      'gateway/src/money/prices',
      'gateway/src/people/accounts',
      ...PROTOCOL,
    ],
    packages: [],
  },
  {
    path: 'gateway/src/calls/heavy',
    about: 'the threads that parse large bodies',
    zones: [
      'gateway/src/calls/admit/bill.ts',
      'gateway/src/calls/entry/understand.ts',
      'gateway/src/calls/heavy-work.ts',
      'gateway/src/calls/lane.ts',
      'gateway/src/calls/lanes',
      'gateway/src/calls/operations.ts',
      'gateway/src/calls/request.ts',
      'gateway/src/calls/seals/envelopes.ts',
      'gateway/src/kernel',
      'gateway/src/models/routing',
      ...PROTOCOL,
    ],
    packages: ['gpt-tokenizer', 'node:os', 'node:worker_threads'],
  },
  {
    path: 'gateway/src/calls/idempotency',
    about: 'answers stored by Idempotency-Key',
    zones: ['gateway/src/kernel', 'gateway/src/people/secrets/aead.ts', 'gateway/src/store', ...PROTOCOL],
    packages: ['node:crypto', 'node:util', 'node:zlib'],
  },
  {
    path: 'gateway/src/calls/recordings',
    about: 'how long recordings are, measured on a thread',
    zones: ['gateway/src/kernel'],
    packages: ['music-metadata', 'node:worker_threads'],
  },
  {
    path: 'gateway/src/calls/seals',
    about: 'signed envelopes of opaque state, and the memory of seals',
    zones: ['gateway/src/kernel', 'gateway/src/store', ...PROTOCOL],
    packages: ['node:crypto'],
  },
  {
    path: 'gateway/src/media',
    about: 'what outlives a call: video operations, stored responses and blobs',
    zones: [
      'gateway/src/calls/exchange/request-json.ts',
      'gateway/src/kernel',
      'gateway/src/money/journal/sync-names.ts',
      'gateway/src/money/ledger/refusals.ts',
      'gateway/src/money/prices',
      'gateway/src/people/secrets/aead.ts',
      'gateway/src/store/postgres',
      'gateway/src/upstream',
      ...PROTOCOL,
    ],
    packages: ['kysely', 'node:*'],
  },
  {
    path: 'gateway/src/http',
    about: 'listeners, heads, bodies, the table of routes: bytes become a request',
    zones: [
      'gateway/src/calls',
      'gateway/src/kernel',
      'gateway/src/media/blobs',
      'gateway/src/models/names',
      ...PROTOCOL,
    ],
    packages: ['ws', 'node:*'],
  },
  {
    path: 'gateway/src/control',
    about: 'what operators and members do, one folder per resource; the only user of Fastify and of ClickHouse',
    zones: [
      'gateway/src/calls/entry/understand.ts',
      'gateway/src/calls/plan/replan.ts',
      'gateway/src/calls/seals/envelopes.ts',
      'gateway/src/http/head.ts',
      'gateway/src/http/listener.ts',
      'gateway/src/http/peer.ts',
      'gateway/src/kernel',
      'gateway/src/media',
      'gateway/src/models/catalogue/price-change.ts',
      'gateway/src/models/health',
      'gateway/src/models/policies',
      'gateway/src/models/shapes',
      'gateway/src/money',
      'gateway/src/people',
      'gateway/src/store',
      'gateway/src/telemetry/log.ts',
      'gateway/src/upstream/one-request.ts',
      ...PROTOCOL,
    ],
    packages: ['@clickhouse/client', 'fastify', 'kysely', 'typebox', 'node:*'],
  },
  {
    path: 'gateway/src/config',
    about: 'the configuration file, and the files of `trivium apply`',
    zones: [
      'gateway/src/control/api',
      'gateway/src/control/declared/contract.ts',
      'gateway/src/kernel',
      'gateway/src/models',
      'gateway/src/money',
      'gateway/src/people',
      ...PROTOCOL,
    ],
    packages: ['typebox', 'yaml', 'node:*'],
  },
  {
    path: 'gateway/src/app',
    about: 'the composition root: parts in, a running gateway out',
    zones: ['gateway/src', ...PROTOCOL],
    packages: ['node:*'],
  },
  {
    path: 'gateway/src/main.ts',
    about: 'what the package exports',
    zones: ['gateway/src', ...PROTOCOL],
    packages: ['node:*'],
  },

  {
    path: 'simulator/src',
    about: 'the judge of our translations, so it shares no code with them',
    zones: [],
    packages: ['node:*'],
  },
  {
    path: 'console/src',
    about: 'in browsers, over the public admin API',
    zones: [],
    packages: [
      '@lingui/core',
      '@tanstack/react-query',
      '@tanstack/react-router',
      '@tanstack/react-virtual',
      'cmdk',
      'lucide-react',
      'openapi-fetch',
      'radix-ui',
      'react',
      'react-dom',
      'uplot',
      'virtual:messages',
    ],
  },
  {
    path: 'cli/src',
    about: 'the command `trivium`',
    zones: ['gateway', 'simulator'],
    packages: ['commander', 'node:*'],
  },
];

/** What a program may load only once it knows what to do: gateway and simulator take seconds, `--help` should not. */
export type LightStart = {
  readonly entry: string;
  readonly without: readonly string[];
  /** Exceptions, with the file each one loads; what that file loads is checked as well. */
  readonly through?: Readonly<Record<string, string>>;
};

export const LIGHT_STARTS: readonly LightStart[] = [
  {
    entry: 'cli/src/program.ts',
    without: ['@trivium/gateway', '@trivium/protocol', '@trivium/simulator', 'fastify', 'kysely', 'typebox'],
    through: { '@trivium/gateway/commands': 'gateway/src/control/commands.ts' },
  },
];

/** Inside the dialects' folder one dialect never sees another; only the registry knows them all. */
export const DIALECTS_FOLDER = 'protocol/src/dialects';
export const DIALECT_REGISTRY: readonly string[] = [
  `${DIALECTS_FOLDER}/index.ts`,
  `${DIALECTS_FOLDER}/protocol-adapters.ts`,
];
