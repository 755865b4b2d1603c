// From a file, or a text, and the environment to a frozen Config, or to the list of problems and their places. Never
// throws for invalid input, and no message contains a secret.

import { readFileSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { buildAdmin } from './build-admin.ts';
import { buildAlerts } from './build-alerts.ts';
import { buildBlobs } from './build-blobs.ts';
import { buildCatalogue } from './build-catalogue.ts';
import { buildKeys } from './build-keys.ts';
import { buildPayments } from './build-payments.ts';
import { buildCallerIssuers, buildSignIn } from './build-people.ts';
import { buildPrices } from './build-prices.ts';
import { buildProviders } from './build-providers.ts';
import { buildRateLimits } from './build-rate-limits.ts';
import { buildSealKeys, SEAL_KEY_VARIABLE } from './build-seal-keys.ts';
import { buildClickHouse, buildDatabase, buildRedis, buildSecretKeys } from './build-stores.ts';
import { buildTraces } from './build-traces.ts';
import type { Building } from './building.ts';
import { checkForm } from './check-form.ts';
import { buildUpstream, checkNetwork } from './check-network.ts';
import type { Config } from './config.ts';
import { readDocument, type SourceDocument } from './document.ts';
import { applyEnvironment, CONFIG_FILE_VARIABLE } from './environment.ts';
import { defaultMemoryBytes } from './machine-memory.ts';
import { type ConfigProblem, parsePath, pathText, type Report } from './problem.ts';
import type { ConfigData } from './schema.ts';
import { isReference, secretResolver } from './secrets.ts';
import { type ConfigOrigin, settingsIn } from './settings.ts';

export interface LoadConfigOptions {
  /** Without it and without `text`, the environment variable TRIVIUM_CONFIG names the file. */
  readonly file?: string;
  /** Replaces the content of the file. */
  readonly text?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Checks everything but the values of secrets, which are not read: no process can be started with the result. */
  readonly offline?: boolean;
}

export interface LoadedConfig {
  readonly config: Config;
  /** Not errors: plaintext secrets, hosts without a credential. */
  readonly notices: readonly ConfigProblem[];
  /** Undefined if there was no file. */
  readonly file: string | undefined;
  /** `trivium.yaml:12:5` for a path such as `models[0].id`: for checks that run later than this one. */
  placeOf(path: string): string;
}

export type ConfigOutcome = LoadedConfig | { readonly problems: readonly ConfigProblem[] };

/** Set by the supervisor: how many processes share the memory of this machine. */
const WORKERS_VARIABLE = 'TRIVIUM_WORKERS';
const MAX_CONFIG_BYTES = 4 * 1_048_576;

const readText = (file: string): { readonly text: string } | { readonly message: string } => {
  try {
    if (statSync(file).size > MAX_CONFIG_BYTES) return { message: `is larger than ${MAX_CONFIG_BYTES} bytes` };
    return { text: readFileSync(file, 'utf8') };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return { message: `cannot be read (${code})` };
  }
};

const deepFreeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
};

const build = (data: ConfigData, building: Building, env: LoadConfigOptions['env']): Omit<Config, 'origin'> => {
  checkNetwork(data, building);
  const {
    listen,
    mounts,
    limits,
    overload,
    readiness,
    warmUp,
    watchdog,
    timeouts,
    retries,
    health,
    hedging,
    cors,
    genai,
    media,
    idempotency,
    ledger,
    operations,
    log,
  } = data;
  const database = data.database === undefined ? undefined : buildDatabase(data.database, building);
  const traces = data.traces === undefined ? undefined : buildTraces(data.traces, data.providers, building);
  const redis = data.redis === undefined ? undefined : buildRedis(data.redis, building);
  const clickhouse =
    data.clickhouse === undefined ? undefined : buildClickHouse(data.clickhouse, data.database !== undefined, building);
  return {
    listen,
    admin: buildAdmin(data.admin, building),
    mounts,
    signIn: buildSignIn(data.signIn, data.database !== undefined, building),
    keys: buildKeys(data.keys, building),
    callerIssuers: buildCallerIssuers(data.callerTokens, data.database !== undefined, building),
    providers: buildProviders(data.providers, data.upstream.allowInsecure, building),
    catalogue: buildCatalogue(data),
    prices: buildPrices(data.prices, building),
    usage: data.usage,
    rateLimits: buildRateLimits(data.rateLimits),
    aliases: Object.assign(Object.create(null), data.aliases),
    auto: data.auto,
    limits: { ...limits, memoryBytes: limits.memoryBytes ?? defaultMemoryBytes(Number(env[WORKERS_VARIABLE] ?? 1)) },
    overload,
    readiness,
    warmUp,
    watchdog,
    timeouts,
    retries,
    health,
    hedging,
    cors,
    upstream: buildUpstream(data.upstream, data.limits.inFlight, building),
    genai,
    seals: { keys: buildSealKeys(data.seals.keys, building, env[SEAL_KEY_VARIABLE]), memory: data.seals.memory },
    media,
    blobs: buildBlobs(data.blobs, building),
    webhooks: data.webhooks,
    alerts: buildAlerts(data.alerts, building),
    idempotency,
    ledger,
    operations,
    ...(traces !== undefined && { traces }),
    ...(database !== undefined && { database }),
    ...(redis !== undefined && { redis }),
    ...(clickhouse !== undefined && { clickhouse }),
    secrets: { keys: buildSecretKeys(data.secrets.keys, building) },
    payments: buildPayments(data.payments, building),
    explain: data.explain,
    log,
  };
};

/** Placeholder for the secret of a key, so that keys are counted and distinguished. */
const OFFLINE_SECRET = 'not read, since the configuration is only checked: ';

const buildingFor = (
  options: LoadConfigOptions,
  file: string | undefined,
  report: Report,
  notice: Report,
  secrets: Map<string, string>,
): Building => {
  const offline = options.offline === true;
  const resolveSecret = secretResolver(options.env, file === undefined ? process.cwd() : dirname(file));
  return {
    report,
    notice,
    offline,
    secret: (text, path) => {
      if (offline && isReference(text)) return path[0] === 'keys' ? `${OFFLINE_SECRET}${pathText(path)}` : undefined;
      const resolved = resolveSecret(text);
      if (resolved.kind === 'missing') {
        report(path, resolved.message);
        return undefined;
      }
      const isSensitive = path[0] === 'keys' || path[0] === 'providers';
      if (resolved.isLiteral && isSensitive)
        notice(path, 'is a secret written out in the file; env:NAME or file:/path keep it elsewhere');
      secrets.set(pathText(path), resolved.value);
      return resolved.value;
    },
  };
};

const loadDocument = (
  document: SourceDocument,
  name: string,
  file: string | undefined,
  options: LoadConfigOptions,
): ConfigOutcome => {
  const at = ({ line, column }: { readonly line: number; readonly column: number }): string =>
    `${name}:${line}:${column}`;
  if (document.errors.length > 0)
    return { problems: document.errors.map((error) => ({ place: at(error.place), path: '', message: error.message })) };
  const { data: raw, places } = applyEnvironment(document.data ?? {}, options.env);
  const into =
    (list: ConfigProblem[]): Report =>
    (path, message, point = 'value') => {
      const text = pathText(path);
      list.push({ place: places.get(text) ?? at(document.placeOf(path, point)), path: text, message });
    };
  const problems: ConfigProblem[] = [];
  const notices: ConfigProblem[] = [];
  const report = into(problems);
  const data = checkForm(raw, report);
  if (data === undefined) return { problems };
  const secrets = new Map<string, string>();
  const config = build(data, buildingFor(options, file, report, into(notices), secrets), options.env);
  if (problems.length > 0) return { problems };
  const settings = settingsIn({ data, given: raw, places, file: name, document, secrets });
  const origin: ConfigOrigin = { settings, ...(file !== undefined && { reread: () => reread(options) }) };
  return {
    config: deepFreeze({ ...config, origin }),
    notices,
    file,
    placeOf: (path) => places.get(path) ?? at(document.placeOf(parsePath(path), 'value')),
  };
};

const reread = (options: LoadConfigOptions): ReturnType<NonNullable<ConfigOrigin['reread']>> => {
  const outcome = loadConfig(options);
  return 'problems' in outcome ? outcome : outcome.config.origin;
};

export const loadConfig = (options: LoadConfigOptions): ConfigOutcome => {
  const file = options.file ?? (options.text === undefined ? options.env[CONFIG_FILE_VARIABLE] : undefined);
  if (file === undefined && options.text === undefined) {
    const message = `no configuration file was named; pass one or set ${CONFIG_FILE_VARIABLE}`;
    return { problems: [{ place: 'configuration', path: '', message }] };
  }
  const name = file === undefined ? 'configuration' : basename(file);
  const read = options.text === undefined ? readText(file ?? '') : { text: options.text };
  if ('message' in read) return { problems: [{ place: file ?? name, path: '', message: read.message }] };
  return loadDocument(readDocument(read.text), name, file, options);
};
