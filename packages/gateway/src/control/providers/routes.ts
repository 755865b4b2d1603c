/** Credentials of providers at the admin API. They can be written, but never read. */
import Type from 'typebox';
import { EVERY_ACCOUNT } from '../../money/usage/record-query.ts';
import { tellRelease } from '../../store/postgres/releases.ts';
import { OPERATOR } from '../../store/postgres/store.ts';
import { rewrapDestinations } from '../alerts/destination-rows.ts';
import { change } from '../api/change.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { requireVault, routeWith } from '../api/route.ts';
import { rewrapWebhooks } from '../webhooks/rows.ts';
import { rewrapCaptureKeys } from '../wire/rows.ts';
import {
  CredentialTrial,
  CredentialVerdict,
  Host,
  NewCredential,
  ProviderDetail,
  Providers,
  Release,
  Released,
  Rewrapped,
  type ShownProvider,
} from './contract.ts';
import type { ProviderPorts } from './ports.ts';
import { credentialIdentity, deleteCredential, listCredentials, putCredential, rewrapCredentials } from './rows.ts';

const route = routeWith<ProviderPorts>();

const ONE = '/providers/{id}/credential';

const HISTORY_MS = 2 * 3_600_000;
const BAR_MS = 15 * 60_000;

function providerOf(
  id: string,
  storedAt: Date | undefined,
  { hosts, targets }: Pick<ProviderPorts, 'hosts' | 'targets'>,
): ShownProvider {
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
    summary: 'Lists providers that are configured or have a stored credential, with their health.',
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
    summary: 'Returns a provider: circuit breaker of each model, credentials, and outcomes of the last two hours.',
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
    summary: 'Closes the open circuit breakers of a provider on all nodes, so that it gets calls at once.',
    permission: 'operator',
    body: Release,
    answer: Released,
    run: async (asked) => {
      const { hosts, targets, id, body } = asked;
      if (!hosts.isKnown(id)) throw notFound('Provider', id);
      const released = targets.release(id, body.model);
      return change(asked, 'provider.release', async (db) => {
        await tellRelease(db, id, body.model);
        return { answer: { released }, detail: { ...body } };
      });
    },
  }),
  route({
    method: 'POST',
    path: ONE,
    name: 'setCredential',
    summary: 'Stores or replaces the credential of a provider. The configuration file takes precedence.',
    permission: 'operator',
    body: NewCredential,
    answer: Host,
    run: async (asked) => {
      const { hosts, id, body } = asked;
      if (!hosts.isKnown(id)) throw notFound('Provider', id);
      const vault = requireVault(hosts);
      const problem = hosts.problemWith(id, body.credential);
      if (problem !== undefined) throw new AdminProblem('invalid', problem, 'credential');
      return change(asked, 'credential.set', async (db) => {
        await putCredential(db, id, vault.seal(credentialIdentity(id), body.credential));
        const credential = hosts.sourceOf(id) === 'file' ? 'file' : 'database';
        return { answer: { id, credential, storedAt: new Date().toISOString() } };
      });
    },
  }),
  route({
    method: 'POST',
    path: '/providers/{id}/test',
    name: 'testCredential',
    summary: 'Tests the credential in use, or one in the request, which is not stored.',
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
    summary: 'Deletes the stored credential of a provider.',
    permission: 'operator',
    answer: Type.Object({}, { additionalProperties: false }),
    run: (asked) =>
      change(asked, 'credential.delete', async (db) => {
        if (!(await deleteCredential(db, asked.id))) throw notFound('Stored credential of provider', asked.id);
        return { answer: {} };
      }),
  }),
  route({
    method: 'POST',
    path: '/providers/rewrap',
    name: 'rewrapCredentials',
    summary: 'Re-encrypts all stored secrets with the first of `secrets.keys`, so that the other keys can be removed.',
    permission: 'operator',
    answer: Rewrapped,
    run: (asked) =>
      change(asked, 'credential.rewrap', async (db) => {
        const { hosts } = asked;
        const vault = requireVault(hosts);
        const moved =
          (await rewrapCredentials(db, vault)) +
          (await rewrapWebhooks(db, vault)) +
          (await rewrapDestinations(db, vault)) +
          (await rewrapCaptureKeys(db, vault));
        return { answer: { moved }, subject: '*', detail: { moved } };
      }),
  }),
];
