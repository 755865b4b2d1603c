// The sections of the configuration file. Each documents its fields, once: the checker, the reference and `trivium config
// schema` all read them. The section's own file also checks fields against each other.

import Type, { type Static } from 'typebox';
import { rateLimitsSchema } from '../money/limits/rates-schema.ts';
import { agentsSchema } from './sections/agents.ts';
import { alertsSchema } from './sections/alerts.ts';
import { aliasesSchema, autoSchema } from './sections/aliases.ts';
import { blobsSchema } from './sections/blobs.ts';
import { mediaSchema, webhooksSchema } from './sections/fetching.ts';
import { keysSchema } from './sections/keys.ts';
import { limitsSchema } from './sections/limits.ts';
import { adminSchema, corsSchema, genaiSchema, listenSchema, mountsSchema } from './sections/listeners.ts';
import { explainSchema, idempotencySchema, ledgerSchema, sealsSchema, stateSchema } from './sections/memory.ts';
import { catalogueSchema, modelsSchema } from './sections/models.ts';
import { paymentsSchema, pricesSchema, usageSchema } from './sections/money.ts';
import { operationsSchema } from './sections/operations.ts';
import { closed } from './sections/parts.ts';
import { passthroughSchema } from './sections/passthrough.ts';
import { callerTokensSchema, signInSchema } from './sections/people.ts';
import { policiesSchema } from './sections/policies.ts';
import { logSchema, overloadSchema, readinessSchema, warmUpSchema, watchdogSchema } from './sections/process.ts';
import { providersSchema } from './sections/providers.ts';
import { secretStoresSchema } from './sections/secret-stores.ts';
import { clickhouseSchema, databaseSchema, redisSchema, secretsSchema } from './sections/stores.ts';
import { timeoutsSchema } from './sections/timeouts.ts';
import { tracesSchema } from './sections/traces.ts';
import { healthSchema, hedgingSchema, retriesSchema, upstreamSchema } from './sections/upstream.ts';

export const ConfigSchema = Type.Object(
  {
    listen: listenSchema,
    admin: adminSchema,
    signIn: signInSchema,
    keys: keysSchema,
    callerTokens: callerTokensSchema,
    providers: providersSchema,
    models: modelsSchema,
    catalogue: catalogueSchema,
    prices: pricesSchema,
    rateLimits: rateLimitsSchema,
    usage: usageSchema,
    aliases: aliasesSchema,
    auto: autoSchema,
    policies: policiesSchema,
    mounts: mountsSchema,
    limits: limitsSchema,
    overload: overloadSchema,
    readiness: readinessSchema,
    warmUp: warmUpSchema,
    watchdog: watchdogSchema,
    timeouts: timeoutsSchema,
    retries: retriesSchema,
    health: healthSchema,
    hedging: hedgingSchema,
    cors: corsSchema,
    upstream: upstreamSchema,
    genai: genaiSchema,
    seals: sealsSchema,
    media: mediaSchema,
    blobs: blobsSchema,
    webhooks: webhooksSchema,
    agents: agentsSchema,
    alerts: alertsSchema,
    traces: tracesSchema,
    explain: explainSchema,
    idempotency: idempotencySchema,
    state: stateSchema,
    ledger: ledgerSchema,
    operations: operationsSchema,
    passthrough: passthroughSchema,
    database: databaseSchema,
    redis: redisSchema,
    clickhouse: clickhouseSchema,
    secrets: secretsSchema,
    secretStores: secretStoresSchema,
    payments: paymentsSchema,
    log: logSchema,
  },
  { ...closed, title: 'Trivium configuration', description: 'The configuration file of the gateway.' },
);

export type ConfigData = Static<typeof ConfigSchema>;
