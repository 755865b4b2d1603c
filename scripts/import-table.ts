/** The architecture as data: which zone may import what. `check-imports.ts` checks every import in the tree against it. */
export type Zone = {
  /** Folder or file below `packages/`. The longest match decides where a file belongs. */
  readonly path: string;
  /** Other zones it may import, by path prefix. Its own files are always allowed. */
  readonly zones: readonly string[];
  /** Packages it may import; `node:*` allows all of Node. */
  readonly packages: readonly string[];
};

const PROTOCOL = ['protocol/canonical', 'protocol/framing', 'protocol/stream', 'protocol/dialects'];

const REQUEST_PATH = [
  'gateway/src/accounts',
  'gateway/src/endpoints',
  'gateway/src/exchange',
  'gateway/src/kernel',
  'gateway/src/lanes',
  'gateway/src/prices',
  'gateway/src/request',
  'gateway/src/routing',
  ...PROTOCOL,
];

export const IMPORT_TABLE: readonly Zone[] = [
  { path: 'protocol/src/canonical', zones: [], packages: [] },
  // Framing only splits bytes into frames: it does not know the canonical model.
  { path: 'protocol/src/framing', zones: [], packages: [] },
  { path: 'protocol/src/stream', zones: ['protocol/src/canonical'], packages: [] },
  // Canonical in, canonical out: changes to a call that several dialects need before they can encode it.
  { path: 'protocol/src/passes', zones: ['protocol/src/canonical'], packages: [] },
  {
    path: 'protocol/src/dialects',
    zones: ['protocol/src/canonical', 'protocol/src/passes', 'protocol/src/stream'],
    packages: ['typebox'],
  },

  // What every zone imports: types of injected ports, the clock, the swap-remove list and the shared timers.
  {
    path: 'gateway/src/kernel',
    zones: PROTOCOL,
    packages: ['node:crypto'],
  },
  {
    path: 'gateway/src/accounts',
    zones: ['gateway/src/kernel', 'protocol/canonical'],
    packages: ['node:crypto', 'node:net', 'node:zlib', 'ipaddr.js'],
  },
  // Routing decides and does nothing: no clock, no state handed out, no I/O.
  {
    path: 'gateway/src/routing',
    zones: ['gateway/src/kernel', 'protocol/canonical'],
    packages: [],
  },
  // The request pipeline. Nothing of Node: I/O, clocks and ids are injected.
  { path: 'gateway/src/request', zones: REQUEST_PATH, packages: [] },
  { path: 'gateway/src/lanes', zones: REQUEST_PATH, packages: [] },
  { path: 'gateway/src/exchange', zones: REQUEST_PATH, packages: [] },
  { path: 'gateway/src/endpoints', zones: REQUEST_PATH, packages: [] },
  {
    path: 'gateway/src/limits',
    zones: ['gateway/src/accounts/rights.ts', 'gateway/src/kernel', ...PROTOCOL],
    packages: ['typebox'],
  },
  // Suggests known names for a mistyped one: pure text functions.
  { path: 'gateway/src/names', zones: [], packages: [] },
  { path: 'gateway/src/health', zones: ['gateway/src/kernel'], packages: [] },
  // The rules of the ledger: no clock, no I/O, no other zone, so that a simulation runs the same code as production.
  { path: 'gateway/src/ledger/core', zones: [], packages: [] },
  // The journal: lines on disk that outlive the process. It does not interpret their content.
  { path: 'gateway/src/journal', zones: [], packages: ['node:fs', 'node:os', 'node:path', 'node:zlib'] },
  {
    path: 'gateway/src/ledger',
    zones: ['gateway/src/journal', 'gateway/src/kernel', 'gateway/src/prices', ...PROTOCOL],
    packages: ['kysely', 'node:crypto', 'node:fs', 'node:path'],
  },
  {
    path: 'gateway/src/seals',
    zones: ['gateway/src/kernel', 'gateway/src/store', ...PROTOCOL],
    packages: ['node:crypto'],
  },
  // Prices are arithmetic: no clock, no I/O, nothing of a request but its counts and what it asks for.
  {
    path: 'gateway/src/prices',
    zones: ['gateway/src/kernel', 'protocol/canonical'],
    packages: [],
  },
  // Video operations: state transitions and their charges; rows, clocks and hosts are ports.
  {
    path: 'gateway/src/operations',
    zones: [
      'gateway/src/store/postgres/tables.ts',
      'gateway/src/kernel',
      'gateway/src/exchange/request-json.ts',
      'gateway/src/exchange/upstream-error.ts',
      'gateway/src/ledger/refusals.ts',
      'gateway/src/prices',
      'gateway/src/request/admit/bill.ts',
      ...PROTOCOL,
    ],
    packages: ['kysely', 'node:crypto'],
  },
  // Decides how much credit a payment gives; the ledger stores it.
  { path: 'gateway/src/payments', zones: ['protocol/canonical'], packages: ['node:crypto'] },
  {
    path: 'gateway/src/idempotency',
    zones: ['gateway/src/kernel', 'gateway/src/store', ...PROTOCOL],
    packages: ['node:crypto'],
  },
  {
    path: 'gateway/src/catalogue',
    zones: ['gateway/src/kernel', 'protocol/canonical'],
    packages: ['typebox', 'node:*'],
  },
  { path: 'gateway/src/providers', zones: PROTOCOL, packages: [] },
  {
    path: 'gateway/src/directory',
    zones: [
      'gateway/src/catalogue',
      'gateway/src/providers',
      'gateway/src/kernel',
      'gateway/src/names',
      'gateway/src/prices',
      'gateway/src/routing',
      ...PROTOCOL,
    ],
    packages: ['node:crypto'],
  },
  {
    path: 'gateway/src/upstream',
    zones: ['gateway/src/accounts/address-ranges.ts', 'gateway/src/kernel', ...PROTOCOL],
    packages: ['ipaddr.js', 'nodemailer', 'undici', 'node:*'],
  },
  {
    path: 'gateway/src/signing',
    zones: ['gateway/src/kernel', 'gateway/src/providers/signers', 'protocol/canonical'],
    packages: ['aws4', 'jose', 'node:crypto'],
  },
  // Large bodies, parsed in a worker thread.
  {
    path: 'gateway/src/heavy',
    zones: [
      'gateway/src/kernel',
      'gateway/src/lanes',
      'gateway/src/request',
      'gateway/src/routing',
      'gateway/src/seals/envelopes.ts',
      ...PROTOCOL,
    ],
    packages: ['gpt-tokenizer', 'node:os', 'node:worker_threads'],
  },
  // Results too large for a row: where they are kept, and the links that lead to them.
  {
    path: 'gateway/src/blobs',
    zones: ['gateway/src/kernel', 'gateway/src/signing/s3-signer.ts', 'gateway/src/upstream/byte-client.ts'],
    packages: ['node:*'],
  },
  // Webhooks: the format of their messages, and delivery with retries.
  {
    path: 'gateway/src/webhooks',
    zones: ['gateway/src/kernel', 'gateway/src/upstream/one-request.ts'],
    packages: ['node:crypto'],
  },
  // Alerts to operators and accounts, and the formats they are sent in; the store implements its ports.
  {
    path: 'gateway/src/alerts',
    zones: [
      'gateway/src/store/postgres/tables.ts',
      'gateway/src/health',
      'gateway/src/kernel',
      'gateway/src/prices/rounding.ts',
      'gateway/src/webhooks',
    ],
    packages: ['kysely'],
  },
  // Content capture: recorded during the request; redacted, encrypted and stored outside the request path.
  {
    path: 'gateway/src/capture',
    zones: [
      'gateway/src/store/postgres/tables.ts',
      'gateway/src/blobs/blob-store.ts',
      'gateway/src/kernel',
      'gateway/src/seals/envelopes.ts',
      'gateway/src/secrets',
      'protocol/canonical',
    ],
    packages: ['kysely', 'node:stream/consumers'],
  },
  {
    path: 'gateway/src/http',
    zones: [
      'gateway/src/blobs/blob-store.ts',
      'gateway/src/blobs/linked-blob.ts',
      'gateway/src/kernel',
      'gateway/src/request',
      'gateway/src/endpoints',
      'gateway/src/exchange/caller-reply.ts',
      'gateway/src/names',
      ...PROTOCOL,
    ],
    packages: ['node:*'],
  },
  {
    path: 'gateway/src/telemetry',
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
    path: 'gateway/src/config',
    zones: [
      'gateway/src/kernel',
      'gateway/src/identity/issuers.ts',
      'gateway/src/limits/rates-schema.ts',
      'gateway/src/accounts',
      'gateway/src/catalogue',
      'gateway/src/limits/rules.ts',
      'gateway/src/names',
      'gateway/src/prices/account-terms.ts',
      'gateway/src/providers',
      ...PROTOCOL,
    ],
    packages: ['typebox', 'yaml', 'node:*'],
  },
  { path: 'gateway/src/secrets', zones: [], packages: ['node:crypto'] },
  // It implements the ports of the zones it may import.
  {
    path: 'gateway/src/store',
    zones: [
      'gateway/src/accounts',
      'gateway/src/capture',
      'gateway/src/catalogue/price-change.ts',
      'gateway/src/kernel',
      'gateway/src/limits/leases.ts',
      'gateway/src/ledger/core/commands.ts',
      'gateway/src/ledger/core/ledger-state.ts',
      'gateway/src/ledger/postgres-ledger.ts',
      'gateway/src/operations',
      'gateway/src/payments',
      'gateway/src/secrets',
      'gateway/src/telemetry/log.ts',
      'gateway/src/usage',
      'gateway/src/analytics/ports.ts',
      'protocol/canonical',
      'gateway/src/alerts',
      'gateway/src/webhooks',
    ],
    packages: ['kysely', 'pg', 'pg-boss', 'ioredis', 'node:*'],
  },
  // What operators do, as a table of routes; the only user of Fastify.
  {
    path: 'gateway/src/admin',
    zones: [
      'gateway/src/secrets',
      'gateway/src/accounts',
      'gateway/src/capture',
      'gateway/src/catalogue/price-change.ts',
      'gateway/src/limits/rates-schema.ts',
      'gateway/src/store',
      'gateway/src/payments',
      'gateway/src/prices/rounding.ts',
      'gateway/src/request/entry/understand.ts',
      'gateway/src/http/head.ts',
      'gateway/src/http/listener.ts',
      'gateway/src/http/peer.ts',
      'gateway/src/kernel',
      'gateway/src/telemetry/log.ts',
      'gateway/src/alerts',
      'gateway/src/webhooks',
      'gateway/src/operations',
      'gateway/src/usage',
      'protocol/dialects',
      'protocol/framing',
    ],
    packages: ['fastify', 'typebox', 'node:*'],
  },
  // Identity providers of people and callers: fetches their keys and metadata with the upstream client, and checks tokens.
  {
    path: 'gateway/src/identity',
    zones: ['gateway/src/accounts', 'gateway/src/kernel', 'protocol/canonical', 'protocol/framing'],
    packages: ['jose', 'openid-client', 'node:crypto'],
  },
  // From finished requests to usage rows, and queries over them; the store implements its ports.
  {
    path: 'gateway/src/usage',
    zones: ['gateway/src/kernel', 'gateway/src/prices', 'gateway/src/telemetry', ...PROTOCOL],
    packages: ['node:timers/promises'],
  },
  // Copies usage records to ClickHouse for reports; the store of the position implements its ports; the only user of ClickHouse's client.
  {
    path: 'gateway/src/analytics',
    zones: ['gateway/src/kernel', 'gateway/src/usage'],
    packages: ['@clickhouse/client', 'node:crypto', 'node:http', 'node:stream', 'node:stream/promises'],
  },
  // The composition root: the only files that may import every zone.
  { path: 'gateway/src/app', zones: ['gateway/src', ...PROTOCOL], packages: ['node:*'] },
  // Files of `trivium apply`: the forms of the admin API, read and checked as configuration files are.
  {
    path: 'gateway/src/accounts-file',
    zones: [
      'gateway/src/accounts/rights.ts',
      'gateway/src/admin/contract.ts',
      'gateway/src/admin/forms.ts',
      'gateway/src/admin/money.ts',
      'gateway/src/config',
    ],
    packages: ['typebox', 'node:*'],
  },
  { path: 'gateway/src/entries', zones: ['gateway/src', ...PROTOCOL], packages: [] },
  { path: 'gateway/src/main.ts', zones: ['gateway/src', ...PROTOCOL], packages: ['node:*'] },

  // The simulator checks our translations, so it may not share code with them.
  { path: 'simulator/src', zones: [], packages: ['typebox', 'node:*'] },
  // In browsers, over the public admin API: nothing of the gateway.
  {
    path: 'console/src',
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
  { path: 'cli/src', zones: ['gateway', 'simulator'], packages: ['commander', 'node:*'] },
];

/** What a program may load only once it knows what to do: gateway and simulator take seconds, `--help` should not. */
export type LightStart = { readonly entry: string; readonly without: readonly string[] };

export const LIGHT_STARTS: readonly LightStart[] = [
  { entry: 'cli/src/program.ts', without: ['@trivium/gateway', '@trivium/protocol', '@trivium/simulator'] },
];

/** Inside the dialects' folder one dialect never sees another; only the registry knows them all. */
export const DIALECTS_FOLDER = 'protocol/src/dialects';
export const DIALECT_REGISTRY: readonly string[] = [
  `${DIALECTS_FOLDER}/index.ts`,
  `${DIALECTS_FOLDER}/videos.ts`,
  `${DIALECTS_FOLDER}/protocol-adapters.ts`,
];
