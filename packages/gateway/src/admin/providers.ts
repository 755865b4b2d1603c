/** Credentials of hosts at the admin API. They go in and never come out. */
import Type from 'typebox';
import { rewrapDestinations } from '../store/postgres/alert-destinations.ts';
import { appendAudit } from '../store/postgres/audit.ts';
import {
  credentialIdentity,
  deleteCredential,
  listCredentials,
  putCredential,
  rewrapCredentials,
} from '../store/postgres/provider-credentials.ts';
import { OPERATOR } from '../store/postgres/store.ts';
import { rewrapWebhooks } from '../store/postgres/webhooks.ts';
import { actorName } from './actor.ts';
import { CredentialTrial, CredentialVerdict, Host, listOfItems, NewCredential, Rewrapped } from './contract.ts';
import { AdminProblem, notFound } from './problem.ts';
import { requireVault, route } from './route.ts';

const ONE = '/providers/{id}/credential';

export const providerRoutes = [
  route({
    method: 'GET',
    path: '/providers',
    name: 'listProviders',
    summary: 'The hosts that are configured or have a stored credential, and which credential is used.',
    permission: 'operator',
    answer: listOfItems(Host),
    run: async ({ store, hosts }) => {
      const stored = new Map((await store.within(OPERATOR, listCredentials)).map((row) => [row.provider, row]));
      const ids = [...new Set([...hosts.configured(), ...stored.keys()])].sort();
      const items = ids.map((id) => ({
        id,
        credential: hosts.sourceOf(id),
        storedAt: stored.get(id)?.updatedAt.toISOString() ?? null,
      }));
      return { items, next: null };
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
      'Puts every stored credential, secret of a webhook and destination of alerts under the first of secrets.keys. Then the others may be removed.',
    permission: 'operator',
    answer: Rewrapped,
    run: ({ store, hosts, actor }) =>
      store.within(OPERATOR, async (db) => {
        const vault = requireVault(hosts);
        const moved =
          (await rewrapCredentials(db, vault)) +
          (await rewrapWebhooks(db, vault)) +
          (await rewrapDestinations(db, vault));
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
