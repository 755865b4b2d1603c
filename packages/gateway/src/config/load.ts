// From a file, or a text, and the environment to a frozen Config, or to the list of problems and their places. Never
// throws for invalid input, and no message contains a secret.

import { readFileSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { readIdentity } from '../models/providers/signers/identities.ts';
import { isStoreReference } from '../models/providers/signers/store-references.ts';
import type { Config } from './config.ts';
import { applyEnvironment, CONFIG_FILE_VARIABLE } from './environment.ts';
import { fitsSchema } from './reading/check-form.ts';
import { readDocument, type SourceDocument } from './reading/document.ts';
import { fillDefaults, isRecord } from './reading/fill-defaults.ts';
import { type ConfigPath, type ConfigProblem, parsePath, pathText, type Report } from './reading/problem.ts';
import { type FileState, isReference, secretResolver } from './reading/secrets.ts';
import { placesOf, RETIRING_SETTINGS, type RetiringSetting } from './retiring.ts';
import { type ConfigData, ConfigSchema } from './schema.ts';
import { buildAgents } from './sections/agents.ts';
import { buildAlerts } from './sections/alerts.ts';
import { buildBlobs } from './sections/blobs.ts';
import { checkFetching } from './sections/fetching.ts';
import { buildKeys } from './sections/keys.ts';
import { defaultMemoryBytes } from './sections/limits.ts';
import { buildAdmin, checkListeners } from './sections/listeners.ts';
import { buildSeals, checkState } from './sections/memory.ts';
import { buildCatalogue } from './sections/models.ts';
import { buildPayments, buildPrices, buildRateLimits } from './sections/money.ts';
import type { Building } from './sections/parts.ts';
import { buildPassthrough } from './sections/passthrough.ts';
import { buildCallerIssuers, buildSignIn } from './sections/people.ts';
import { checkPolicies } from './sections/policies.ts';
import { buildProviders } from './sections/providers.ts';
import { buildSecretStores, problemOfReference } from './sections/secret-stores.ts';
import { buildClickHouse, buildDatabase, buildRedis, buildSecretKeys } from './sections/stores.ts';
import { buildTraces } from './sections/traces.ts';
import { buildUpstream } from './sections/upstream.ts';
import { type ConfigOrigin, settingsIn } from './settings.ts';

export interface LoadConfigOptions {
  /** Without it and without `text`, the environment variable TRIVIUM_CONFIG names the file. */
  readonly file?: string;
  /** Replaces the content of the file. */
  readonly text?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Checks everything but the values of secrets, which are not read: no process can be started with the result. */
  readonly offline?: boolean;
  /** The secrets of stores that other settings than providers refer to. Without it such a reference is a problem. */
  readonly stored?: StoredSecrets;
  /** Default: those of this version. */
  readonly retiring?: readonly RetiringSetting[];
}

/** Undefined: not read yet, so no process can be started with the result. */
type StoredSecrets = (reference: string) => { readonly value: string } | { readonly problem: string } | undefined;

export interface LoadedConfig {
  readonly config: Config;
  /** Not errors: plaintext secrets, hosts without a credential. */
  readonly notices: readonly ConfigProblem[];
  /** Undefined if there was no file. */
  readonly file: string | undefined;
  /** Files that secrets were read from: a change of one is a rotation. */
  readonly secretFiles: readonly FileState[];
  /** `trivium.yaml:12:5` for a path such as `models[0].id`: for checks that run later than this one. */
  placeOf(path: string): string;
}

export type ConfigOutcome = LoadedConfig | { readonly problems: readonly ConfigProblem[] };

/** Set by the supervisor: how many processes share the memory of this machine. */
const WORKERS_VARIABLE = 'TRIVIUM_WORKERS';
/** Signs seals if the file has no keys: the same for all processes on one address. */
const SEAL_KEY_VARIABLE = 'TRIVIUM_SEAL_KEY';
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
  const { models, callerTokens, database: db, traces: sent, redis: shared, clickhouse: copy, ...asWritten } = data;
  const { limits, providers } = data;
  checkListeners(data, building);
  checkPolicies(data.policies, building);
  checkFetching(data.media, data.webhooks, building);
  if (!data.log.requests && db === undefined)
    building.report(['log', 'requests'], 'needs a database: without one the log has the only trace of a request');
  checkState(data.state, db !== undefined, data.secrets.keys.length, building);
  const database = db && buildDatabase(db, building);
  const traces = sent && buildTraces(sent, providers, building);
  const redis = shared && buildRedis(shared, building);
  const clickhouse = copy && buildClickHouse(copy, db !== undefined, building);
  const hosts = buildProviders(providers, data.upstream.allowInsecure, building);
  return {
    ...asWritten,
    admin: buildAdmin(data.admin, building),
    signIn: buildSignIn(
      data.signIn,
      {
        publicUrl: data.listen.publicUrl,
        hasDatabase: db !== undefined,
        hasKeys: data.secrets.keys.length > 0,
      },
      building,
    ),
    keys: buildKeys(data.keys, building),
    callerIssuers: buildCallerIssuers(callerTokens, db !== undefined, building),
    providers: hosts,
    passthrough: buildPassthrough(data.passthrough, hosts, building),
    secretStores: buildSecretStores(data.secretStores, data.upstream.allowInsecure, building),
    catalogue: buildCatalogue(models, data.catalogue, providers),
    prices: buildPrices(data.prices, building),
    rateLimits: buildRateLimits(data.rateLimits),
    limits: { ...limits, memoryBytes: limits.memoryBytes ?? defaultMemoryBytes(Number(env[WORKERS_VARIABLE] ?? 1)) },
    upstream: buildUpstream(data.upstream, limits.inFlight, building),
    seals: buildSeals(data.seals, env[SEAL_KEY_VARIABLE], building),
    blobs: buildBlobs(data.blobs, building),
    agents: buildAgents(data.agents, building),
    alerts: buildAlerts(data.alerts, building),
    ...(traces !== undefined && { traces }),
    ...(database !== undefined && { database }),
    ...(redis !== undefined && { redis }),
    ...(clickhouse !== undefined && { clickhouse }),
    secrets: buildSecretKeys(data.secrets, building),
    payments: buildPayments(data.payments, building),
  };
};

/** Placeholder for the secret of a key, so that keys are counted and distinguished. */
const OFFLINE_SECRET = 'not read, since the configuration is only checked: ';

const NO_STORES: StoredSecrets = () => ({ problem: 'is in a store, which is not read here' });

const buildingFor = (
  options: LoadConfigOptions,
  stores: ConfigData['secretStores'],
  file: string | undefined,
  report: Report,
  notice: Report,
  secrets: Map<string, string>,
  files: FileState[],
): Building => {
  const offline = options.offline === true;
  const resolveSecret = secretResolver(options.env, file === undefined ? process.cwd() : dirname(file));
  const unread = (path: ConfigPath) => (path[0] === 'keys' ? `${OFFLINE_SECRET}${pathText(path)}` : undefined);
  const ofStore = (text: string, path: ConfigPath): string | undefined => {
    const wrong = path[0] === 'secretStores' ? 'must not be in a store itself' : problemOfReference(text, stores);
    if (wrong === undefined && offline) return unread(path);
    const read = wrong === undefined ? (options.stored ?? NO_STORES)(text) : { problem: wrong };
    if (read === undefined) return unread(path);
    if ('problem' in read) {
      report(path, read.problem);
      return undefined;
    }
    secrets.set(pathText(path), read.value);
    return read.value;
  };
  return {
    report,
    notice,
    offline,
    reference: (text, path) => {
      const problem = problemOfReference(text, stores);
      if (problem === undefined) return text;
      report(path, problem);
      return undefined;
    },
    secret: (text, path) => {
      if (isStoreReference(text)) return ofStore(text, path);
      if (offline && isReference(text)) return unread(path);
      const resolved = resolveSecret(text);
      if (resolved.kind === 'secret' && resolved.file !== undefined) files.push(resolved.file);
      if (resolved.kind === 'missing') {
        report(path, resolved.message);
        return undefined;
      }
      const isSensitive = path[0] === 'keys' || path[0] === 'providers';
      if (resolved.isLiteral && isSensitive && readIdentity(text) === undefined)
        notice(path, 'is a secret written out in the file; env:NAME or file:/path keep it elsewhere');
      secrets.set(pathText(path), resolved.value);
      return resolved.value;
    },
  };
};

const checkForm = (raw: unknown, report: Report): ConfigData | undefined => {
  if (!isRecord(raw)) {
    report([], 'must be a map of settings');
    return undefined;
  }
  // An empty section (`providers:` with all its lines commented out) is the same as none.
  const given = Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null));
  const data = fillDefaults(ConfigSchema, given);
  return fitsSchema(ConfigSchema, data, report) ? (data as ConfigData) : undefined;
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
  const notice = into(notices);
  for (const setting of options.retiring ?? RETIRING_SETTINGS)
    for (const path of placesOf(setting, raw))
      notice(path, `goes with the next minor version: ${setting.instead}`, 'key');
  const secrets = new Map<string, string>();
  const files: FileState[] = [];
  const building = buildingFor(options, data.secretStores, file, report, notice, secrets, files);
  const config = build(data, building, options.env);
  if (problems.length > 0) return { problems };
  const settings = settingsIn({ data, given: raw, places, file: name, document, secrets });
  const origin: ConfigOrigin = { settings, ...(file !== undefined && { reread: () => reread(options) }) };
  return {
    config: deepFreeze({ ...config, origin }),
    notices,
    file,
    secretFiles: files,
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
