/** The admin API with all its dependencies; part of the composition root. */

import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@trivium/protocol/canonical';
import { type Config, jsonBoundsOf } from '../config/config.ts';
import type { RoleKeys } from '../config/sections/people.ts';
import { requireAccount } from '../control/accounts/require-account.ts';
import { countOpenAlerts } from '../control/alerts/rows.ts';
import type { MemberBounds } from '../control/api/actor.ts';
import type { AdminApi } from '../control/api/admin-api.ts';
import { appendAudit } from '../control/api/change.ts';
import { CredentialTries } from '../control/api/credential-tries.ts';
import { AdminProblem, notFound } from '../control/api/problem.ts';
import type { SignInPort } from '../control/api/sign-in-port.ts';
import { SignInTries } from '../control/api/sign-in-tries.ts';
import { openKeyLink } from '../control/key-links/open-link.ts';
import type { ConfiguredKey } from '../control/keys/find-keys.ts';
import { keyNames } from '../control/keys/rows.ts';
import { signedEvents } from '../control/money/signed-events.ts';
import type { NodesPort } from '../control/nodes/ports.ts';
import type { PlaygroundPort } from '../control/playground/ports.ts';
import type { PoliciesPort } from '../control/policies/ports.ts';
import type { RequestsPort } from '../control/requests/requests-port.ts';
import { makeFirstSecret, operatorCheck } from '../control/sessions/operator.ts';
import { storedSessions } from '../control/sessions/rows.ts';
import { type AdminPorts, createAdminApi, type MemoryPorts } from '../control/slices.ts';
import type { UsagePort } from '../control/usage/ports.ts';
import type { CapturedPort } from '../control/wire/captured-port.ts';
import { readBody, TextBody } from '../http/body.ts';
import type { InProcessCalls } from '../http/in-process.ts';
import { refuse } from '../http/refuse.ts';
import { systemClock } from '../kernel/clock.ts';
import { partsOf } from '../kernel/route-key.ts';
import type { UsageRecorder } from '../money/usage/recorder.ts';
import type { UsageReports } from '../money/usage/reports.ts';
import { MemorySessions } from '../people/accounts/memory-sessions.ts';
import type { StaticKey } from '../people/accounts/static-keys.ts';
import { issuerFetch } from '../people/identity/issuer-fetch.ts';
import { logoutReader } from '../people/identity/logout-tokens.ts';
import { OPERATOR, type Store } from '../store/postgres/store.ts';
import type { Log } from '../telemetry/log.ts';
import type { Backing } from './backing.ts';
import type { BuiltEngine } from './build-engine.ts';
import { credentialTest } from './credentials/test-credential.ts';
import { bodyBoundsOf } from './data-plane-settings.ts';
import { modelsIn } from './model-views.ts';
import type { OpenCapture } from './open-capture.ts';
import { creditIn, templatesIn } from './open-ledger.ts';
import { webhooksPort } from './open-webhooks.ts';
import { whatIfIn } from './open-what-if.ts';
import { targetsIn } from './provider-views.ts';
import type { Services } from './services.ts';

/** What the admin API sees of the running gateway. */
type GatewayInside = {
  readonly engine: () => BuiltEngine;
  readonly calls: InProcessCalls;
  readonly url: () => string;
  readonly nodes: NodesPort;
  readonly signIn: SignInPort;
};

/**
 * Undefined if it could not be used: there is no database, so there are only operators, and no secret is configured for
 * them.
 */
export async function openAdminApi(
  services: Services,
  inside: GatewayInside,
  log: Log,
  showFirstSecret: ((secret: string) => void) | undefined,
): Promise<AdminApi | undefined> {
  const { backing } = services;
  const config = (): Config => services.config;
  const { secretHash } = config().admin;
  if (backing === undefined && secretHash === undefined) return undefined;
  if (backing !== undefined && secretHash === undefined && showFirstSecret !== undefined)
    await makeFirstSecret(backing.store, showFirstSecret);
  const { nowMs } = systemClock;
  const memory: MemoryPorts = {
    requests: requestsIn(services.usage, backing?.store),
    models: modelsIn(inside.engine, () => hiddenIn(config()), services.health),
    nodes: inside.nodes,
  };
  return createAdminApi({
    stored: backing === undefined ? memory : { ...memory, ...storedPorts(backing, services, inside) },
    keys: backing?.keys,
    sessions: backing === undefined ? new MemorySessions(nowMs) : storedSessions(backing.store),
    memberBounds: (role) => boundsOf(config().signIn.keys[role], nowMs()),
    signIn: inside.signIn,
    note: async (noted) => backing?.store.within(OPERATOR, (db) => appendAudit(db, noted)),
    tries: new SignInTries(),
    openLink: async (codeHash, address) =>
      backing && openKeyLink(backing.store, services.hosts.vault, codeHash, address),
    openAlerts: async (accountId) =>
      (await backing?.store.within(accountId ?? OPERATOR, (db) => countOpenAlerts(db, accountId)).catch(() => 0)) ?? 0,
    gateway: { publicUrl: () => config().listen.publicUrl, listenerUrl: inside.url },
    credentialTries: new CredentialTries(),
    publicUrl: (audience) => (audience === 'members' ? config().admin.members : config().admin)?.publicUrl,
    isTrustedProxy: (address) => services.connections.isTrustedProxy(address),
    isOperator: operatorCheck(backing?.store, () => config().admin.secretHash),
    jsonBounds: () => jsonBoundsOf(config()),
    readText: (request, maxBytes) => readText(request, maxBytes, services),
    identified: (request) => services.connections.identified(request),
    refuse: (request, response, reply) => refuse(request, response, reply, services.connections),
    log,
    nowMs,
  });
}

/** Actors of the admin API are few, and their bodies short: no memory is reserved for them. */
export async function readText(
  request: IncomingMessage,
  maxBytes: number,
  { config, timeouts, connections }: Services,
): Promise<string> {
  const declared = request.headers['content-length'];
  const arrival = {
    request,
    invite: () => undefined,
    declaredBytes: declared === undefined ? undefined : Number(declared),
    bounds: { ...bodyBoundsOf(config), maxBytes },
    timeouts,
    room: { accountId: '', reserve: () => undefined },
    metering: connections,
  };
  try {
    return await readBody(arrival, new TextBody());
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { kind, message } = error.fault;
    throw new AdminProblem('invalid', kind === 'too-large' ? 'The body must be JSON, and not this long.' : message);
  }
}

const DAY_MS = 86_400_000;

/** A time limit becomes an expiry date from now. */
export function boundsOf({ maxDays, maxKeys, ...rights }: RoleKeys = {}, nowMs: number): MemberBounds {
  if (maxDays === undefined) return { rights, maxKeys };
  return { rights: { ...rights, expiresAt: new Date(nowMs + maxDays * DAY_MS).toISOString() }, maxKeys };
}

const hiddenIn = ({ catalogue }: Config): readonly string[] =>
  Object.entries(catalogue.changes ?? {}).flatMap(([id, { hide }]) => (hide === true ? [id] : []));

const fileKeyOf = ({ name, hash: _hash, account, hedge: _hedge, ...rights }: StaticKey): ConfiguredKey => ({
  account_id: account,
  id: name,
  rights,
});

type StoredPorts = Omit<AdminPorts, keyof MemoryPorts>;

function storedPorts(backing: Backing, services: Services, inside: GatewayInside): StoredPorts {
  const { hosts, stored, policies, upstream, timeouts, operations, captured, responses } = services;
  if (operations === undefined || captured === undefined || responses === undefined)
    throw new Error('the admin API needs the operations of the database');
  const config = (): Config => services.config;
  return {
    store: backing.store,
    money: creditIn(backing),
    templates: templatesIn(backing, (name) => inside.engine().directory.find(name) !== undefined),
    tell: (message) => backing.tell(message),
    fileKeys: () => config().keys.map(fileKeyOf),
    directories: () => config().signIn.directories,
    logout: logoutReader(
      (id) => config().signIn.issuers.find((one) => one.id === id),
      issuerFetch(upstream),
      systemClock.nowMs,
    ),
    hosts,
    targets: targetsIn(inside.engine, services),
    testCredential: credentialTest(config, {
      upstream,
      clock: systemClock,
      timeouts,
      held: services.secrets.book.held,
      values: () => services.secrets.book.values,
    }),
    prices: stored,
    catalogue: stored,
    policies: { ofFile: policies.ofFile, withDraft: policies.withDraft, unknownIn: unknownIn(inside.engine) },
    people: {
      issuers: () => config().signIn.issuers,
      boundsOf: (role) => config().signIn.keys[role] ?? {},
    },
    whatIf: whatIfIn(services, inside.engine),
    usage: usageIn(services.usage.reports),
    analytics: async (question, limit) => services.analytics?.sums(question, limit),
    captured: capturedIn(captured, services),
    responses: { read: (account, id) => responses.read(account, id), redact: captured.redact },
    payments: (provider) => {
      const secrets = config().payments.get(provider);
      return secrets && signedEvents(provider, secrets);
    },
    webhooks: webhooksPort(config),
    alerts: { configured: stored.fileAlerts, hasMail: () => config().alerts.smtp !== undefined },
    playground: playgroundIn(backing, config(), inside),
    operations: operations.store,
    linkTo: (blob) => services.blobs.linkTo(blob, ''),
    nowMs: systemClock.nowMs,
    openCircuits: () => [...new Set([...services.health.out(systemClock.monotonicMs())].map(targetIn))],
  };
}

const unknownIn =
  (engine: GatewayInside['engine']): PoliciesPort['unknownIn'] =>
  ({ only, ignore, order, weights, fallbacks, canary }) => {
    const { directory } = engine();
    const named = [only, ignore, order].flatMap((list) => list ?? []);
    const hosts = [
      ...named,
      ...(canary?.host === undefined ? [] : [canary.host]),
      ...Object.keys(weights ?? {}).map((name) => name.replace(/#.*/, '')),
    ];
    const host = hosts.find((name) => !directory.hosts.has(name));
    if (host !== undefined) return `"${host}" is no configured provider.`;
    const models = [...(fallbacks ?? []).map((fallback) => fallback.model), ...(canary?.model ? [canary.model] : [])];
    const model = models.find((name) => directory.find(name) === undefined);
    return model && `"${model}" is no model that is served here.`;
  };

/** Mounts are those of the start. */
const playgroundIn = ({ keys }: Backing, { mounts }: Config, { calls, url }: GatewayInside): PlaygroundPort => ({
  isCall: (path) => calls.isCall(path),
  dryRunPath: `${mounts.chat[0] ?? '/v1'}/route`,
  mounts: { chat: mounts.chat[0], messages: mounts.messages[0], genai: mounts.genai[0] },
  known: (hash) => keys.knownByHash(hash),
  call: ({ caller, ...call }) => calls.call({ ...call, accounts: { find: () => caller }, host: new URL(url()).host }),
});

/** The route key without the hash of its credential. */
const targetIn = (routeKey: string): string => {
  const { provider, model } = partsOf(routeKey);
  return `${provider} ${model}`.trim();
};

const NO_NAMES: ReadonlyMap<string, string> = new Map();

const requestsIn = ({ records, feed }: UsageRecorder, store?: Store): RequestsPort => ({
  nowMs: systemClock.nowMs,
  list: (page) => records.list(page),
  one: (account, id) => records.one(account, id),
  histogram: (question) => records.histogram(question),
  follow: (viewer, account) => feed.follow(viewer, account),
  keyNames: async (account, ids) =>
    store === undefined || ids.length === 0 ? NO_NAMES : store.within(account, (db) => keyNames(db, ids)),
  requireAccount: async (account) => {
    if (store !== undefined && account !== '') await requireAccount(store, account);
  },
});

const capturedIn = (open: OpenCapture, { repeats }: Services): CapturedPort => ({
  find: (account, id) => open.rows.find(account, id),
  rulesAt: (account, key, atMs) => open.rows.rulesAt(account, key, atMs),
  read: (row) => open.content.read(row),
  erase: async (account) => {
    const erased = await open.content.erase(account);
    // Afterwards: the database has no answer any more that this process could remember again.
    repeats.forgetAccount(account);
    return erased;
  },
  follow: () => open.follow(),
  storageKind: open.storageKind,
  storageWarning: () => open.storageWarning(),
});

/** Invalid queries are reported as errors of the admin API. */
function usageIn(reports: UsageReports): UsagePort {
  const withAdminErrors = async <T>(read: () => Promise<T>): Promise<T> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      const { kind, message, field } = error.fault;
      throw kind === 'unknown-operation' ? notFound('Request') : new AdminProblem('invalid', message, field);
    }
  };
  return {
    sums: (accountId, query) => withAdminErrors(async () => reports.usage(accountId, query)),
    one: (accountId, requestId) => withAdminErrors(() => reports.generation(accountId, requestId)),
  };
}
