/** Credentials of providers at the admin API. They can be written, but never read. */
import Type from 'typebox';
import { EVERY_ACCOUNT } from '../../money/usage/record-query.ts';
import { tellRelease } from '../../store/postgres/releases.ts';
import { OPERATOR } from '../../store/postgres/store.ts';
import { rewrapDestinations } from '../alerts/destination-rows.ts';
import { actorName } from '../api/actor.ts';
import { CredentialTrial, CredentialVerdict, Host, NewCredential, Rewrapped } from '../api/contract.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { type HostsPort, requireVault, route, type TargetsPort } from '../api/route.ts';
import { appendAudit } from '../audit/rows.ts';
import { rewrapWebhooks } from '../webhooks/rows.ts';
import { rewrapCaptureKeys } from '../wire/rows.ts';
import { ProviderDetail, Providers, Release, Released, type ShownProvider } from './contract.ts';
import { credentialIdentity, deleteCredential, listCredentials, putCredential, rewrapCredentials } from './rows.ts';

const ONE = '/providers/{id}/credential';

const HISTORY_MS = 2 * 3_600_000;
const BAR_MS = 15 * 60_000;

type ProviderPorts = { readonly hosts: HostsPort; readonly targets: TargetsPort };

function providerOf(id: string, storedAt: Date | undefined, { hosts, targets }: ProviderPorts): ShownProvider {
  const source = hosts.sourceOf(id);
  const spares = Array.from({ length: targets.spares(id) }, (_, index) => ({
    position: index + 2,
    source: 'file' as const,
  }));
  return {
    id,
    credential: source,
    storedAt: storedAt?.toISOString() ?? null,
    ...targets.summary(id),
    credentials: source === 'none' ? spares : [{ position: 1, source }, ...spares],
  };
}

export const providerRoutes = [
  route({
    method: 'GET',
    path: '/providers',
    name: 'listProviders',
    summary: 'Providers that are configured or have a stored credential: which credential is used, and how they do.',
    permission: 'operator',
    answer: Providers,
    run: async ({ store, hosts, targets }) => {
      const stored = new Map((await store.within(OPERATOR, listCredentials)).map((row) => [row.provider, row]));
      const ids = [...new Set([...hosts.configured(), ...stored.keys()])].sort();
      const items = ids.map((id) => providerOf(id, stored.get(id)?.updatedAt, { hosts, targets }));
      return { items, next: null };
    },
  }),
  route({
    method: 'GET',
    path: '/providers/{id}',
    name: 'getProvider',
    summary:
      'One provider: the circuit breaker of each model there, its credentials, and how requests of the last two hours ended.',
    permission: 'operator',
    answer: ProviderDetail,
    run: async ({ store, hosts, targets, requests, id }) => {
      if (!hosts.isKnown(id)) throw notFound('Provider', id);
      const stored = (await store.within(OPERATOR, listCredentials)).find(({ provider }) => provider === id);
      const untilMs = requests.nowMs();
      const fromMs = Math.floor((untilMs - HISTORY_MS) / BAR_MS) * BAR_MS;
      const filter = { account: EVERY_ACCOUNT, provider: id, fromMs, untilMs };
      const bars = await requests.histogram({ filter, bucketMs: BAR_MS });
      return {
        ...providerOf(id, stored?.updatedAt, { hosts, targets }),
        targets: targets.targets(id),
        history: {
          from: new Date(fromMs).toISOString(),
          until: new Date(untilMs).toISOString(),
          bucketSeconds: BAR_MS / 1000,
          bars: bars.map(({ atMs, ...counts }) => ({ at: new Date(atMs).toISOString(), ...counts })),
        },
      };
    },
  }),
  route({
    method: 'POST',
    path: '/providers/{id}/release',
    name: 'releaseProvider',
    summary: 'Closes the open circuits of a provider on all nodes: it gets calls again at once.',
    permission: 'operator',
    body: Release,
    answer: Released,
    run: async ({ store, hosts, targets, actor, id, body: { model } }) => {
      if (!hosts.isKnown(id)) throw notFound('Provider', id);
      const released = targets.release(id, model);
      await store.within(OPERATOR, async (db) => {
        await tellRelease(db, id, model);
        const detail = { ...(model !== undefined && { model }) };
        const action = 'provider.release';
        await appendAudit(db, { accountId: null, actor: actorName(actor), action, subject: id, detail });
      });
      return { released };
    },
  }),
  route({
    method: 'POST',
    path: ONE,
    name: 'setCredential',
    summary: 'Stores the credential of a host, or takes the place of the one before. The file still comes first.',
    permission: 'operator',
    body: NewCredential,
    answer: Host,
    run: async ({ store, hosts, actor, id, body }) => {
      if (!hosts.isKnown(id)) throw notFound('Provider', id);
      const vault = requireVault(hosts);
      const problem = hosts.problemWith(id, body.credential);
      if (problem !== undefined) throw new AdminProblem('invalid', problem, 'credential');
      await store.within(OPERATOR, async (db) => {
        await putCredential(db, id, vault.seal(credentialIdentity(id), body.credential));
        const action = 'credential.set';
        await appendAudit(db, { accountId: null, actor: actorName(actor), action, subject: id, detail: {} });
      });
      const credential = hosts.sourceOf(id) === 'file' ? 'file' : 'database';
      return { id, credential, storedAt: new Date().toISOString() };
    },
  }),
  route({
    method: 'POST',
    path: '/providers/{id}/test',
    name: 'testCredential',
    summary: 'Asks a host for its models with the credential that is used, or with one that is kept nowhere.',
    permission: 'operator',
    body: CredentialTrial,
    answer: CredentialVerdict,
    run: async ({ hosts, testCredential, id, body }) => {
      if (!hosts.isKnown(id)) throw notFound('Provider', id);
      const problem = body.credential === undefined ? undefined : hosts.problemWith(id, body.credential);
      if (problem !== undefined) throw new AdminProblem('invalid', problem, 'credential');
      return { id, ...(await testCredential(id, body.credential)) };
    },
  }),
  route({
    method: 'DELETE',
    path: ONE,
    name: 'deleteCredential',
    summary: 'Forgets the stored credential of a host.',
    permission: 'operator',
    answer: Type.Object({}, { additionalProperties: false }),
    run: async ({ store, actor, id }) => {
      await store.within(OPERATOR, async (db) => {
        if (!(await deleteCredential(db, id))) throw notFound('Stored credential of provider', id);
        const action = 'credential.delete';
        await appendAudit(db, { accountId: null, actor: actorName(actor), action, subject: id, detail: {} });
      });
      return {};
    },
  }),
  route({
    method: 'POST',
    path: '/providers/rewrap',
    name: 'rewrapCredentials',
    summary:
      'Puts every stored credential, secret of a webhook, destination of alerts and data key of captured content under the first of secrets.keys. Then the others may be removed.',
    permission: 'operator',
    answer: Rewrapped,
    run: ({ store, hosts, actor }) =>
      store.within(OPERATOR, async (db) => {
        const vault = requireVault(hosts);
        const moved =
          (await rewrapCredentials(db, vault)) +
          (await rewrapWebhooks(db, vault)) +
          (await rewrapDestinations(db, vault)) +
          (await rewrapCaptureKeys(db, vault));
        const detail = { moved };
        await appendAudit(db, {
          accountId: null,
          actor: actorName(actor),
          action: 'credential.rewrap',
          subject: '*',
          detail,
        });
        return { moved };
      }),
  }),
];
