/** Credentials of providers at the admin API. They can be written, but never read. */
import Type from 'typebox';
import { tellRelease } from '../../store/postgres/releases.ts';
import { OPERATOR } from '../../store/postgres/store.ts';
import { rewrapDestinations } from '../alerts/destination-rows.ts';
import { change } from '../api/change.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { pageSize, requireVault, routeWith } from '../api/route.ts';
import { rewrapGrants } from '../grants/grant-rows.ts';
import { rewrapWebhooks } from '../webhooks/rows.ts';
import { rewrapCaptureKeys } from '../wire/rows.ts';
import {
  CredentialTrial,
  CredentialVerdict,
  Host,
  NewCredential,
  ProviderDetail,
  ProviderQuery,
  Providers,
  Release,
  Released,
  Rewrapped,
  type ShownProvider,
} from './contract.ts';
import { healthOf, historyOf, type ProviderAttempts, readAttempts } from './health.ts';
import type { ProviderPorts } from './ports.ts';
import { credentialIdentity, deleteCredential, listCredentials, putCredential, rewrapCredentials } from './rows.ts';

const route = routeWith<ProviderPorts>();

const ONE = '/providers/{id}/credential';

function providerOf(
  id: string,
  storedAt: Date | undefined,
  attempts: ProviderAttempts,
  { hosts, targets }: Pick<ProviderPorts, 'hosts' | 'targets'>,
): ShownProvider {
  const source = hosts.sourceOf(id);
  const credentials = targets.credentials(id).map((credential, index) => ({
    ...credential,
    position: index + 1,
    // Only the first one may be stored.
    source: index === 0 && source !== 'none' ? source : ('file' as const),
  }));
  const summary = targets.summary(id);
  return {
    id,
    credential: source,
    storedAt: storedAt?.toISOString() ?? null,
    ...summary,
    ...healthOf(attempts, id, summary.openCircuits),
    credentials,
  };
}

export const providerRoutes = [
  route({
    method: 'GET',
    path: '/providers',
    name: 'listProviders',
    summary: 'Lists providers that are configured or have a stored credential, or all, with their health.',
    permission: 'operator',
    query: ProviderQuery,
    answer: Providers,
    run: async ({ store, hosts, targets, nowMs, query }) => {
      const { credentials, attempts } = await store.within(OPERATOR, async (db) => ({
        credentials: await listCredentials(db),
        attempts: await readAttempts(db, nowMs()),
      }));
      const stored = new Map(credentials.map((row) => [row.provider, row]));
      const listed = query.all === undefined ? hosts.configured() : hosts.known();
      const ids = [...new Set([...listed, ...stored.keys()])].sort();
      const { after, limit } = query;
      const left = after === undefined ? ids : ids.filter((id) => id > after);
      // All of them, unless pages are asked for: there are some dozens.
      const shown = left.slice(0, limit === undefined ? left.length : pageSize(limit));
      const items = shown.map((id) => providerOf(id, stored.get(id)?.updatedAt, attempts, { hosts, targets }));
      return { items, next: shown.length < left.length ? (shown.at(-1) ?? null) : null };
    },
  }),
  route({
    method: 'GET',
    path: '/providers/{id}',
    name: 'getProvider',
    summary: 'Returns a provider: circuit breaker of each model, credentials, and attempts of the last 24 hours.',
    permission: 'operator',
    answer: ProviderDetail,
    run: async ({ store, hosts, targets, nowMs: now, id }) => {
      if (!hosts.isKnown(id)) throw notFound('Provider', id);
      const nowMs = now();
      const { credentials, attempts } = await store.within(OPERATOR, async (db) => ({
        credentials: await listCredentials(db),
        attempts: await readAttempts(db, nowMs, id),
      }));
      const stored = credentials.find(({ provider }) => provider === id);
      return {
        ...providerOf(id, stored?.updatedAt, attempts, { hosts, targets }),
        targets: targets.targets(id),
        history: historyOf(attempts, nowMs),
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
          (await rewrapCaptureKeys(db, vault)) +
          (await rewrapGrants(db, vault));
        return { answer: { moved }, subject: '*', detail: { moved } };
      }),
  }),
];
