/** Keys handed over by a link: the maker of the key never sees its secret. */
import { randomBytes } from 'node:crypto';
import { hashSecret } from '../../people/accounts/key-secret.ts';
import { findAccount } from '../accounts/rows.ts';
import { actorName } from '../api/actor.ts';
import { appendAudit, change } from '../api/change.ts';
import { newId } from '../api/ids.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { type DatabasePorts, pageSize, requireVault, routeWith, type VaultPort } from '../api/route.ts';
import { shown } from '../api/shown.ts';
import { makeKey } from '../keys/make-key.ts';
import { KeyLink, KeyLinkSearch, KeyLinks, MadeKeyLink, NewKeyLink } from './contract.ts';
import {
  countWaiting,
  forgetKeyLinks,
  insertKeyLink,
  linkIdentity,
  listKeyLinks,
  MAX_WAITING,
  withdrawKeyLink,
} from './rows.ts';

export type KeyLinkPorts = DatabasePorts & { readonly hosts: VaultPort };

const route = routeWith<KeyLinkPorts>();

const CODE_BYTES = 32;
const LIST = '/accounts/{account}/key-links';

export const keyLinkRoutes = [
  route({
    method: 'POST',
    path: LIST,
    name: 'createKeyLink',
    summary:
      'Creates a key whose secret is handed over by a link. The link opens once, without a sign-in; its URL is returned only here.',
    permission: 'admin',
    body: NewKeyLink,
    status: 201,
    answer: MadeKeyLink,
    run: (asked) =>
      change(asked, 'key-link.create', async (db) => {
        const { hosts, actor, accountId, consoleOrigin } = asked;
        const { validSeconds, ...wanted } = asked.body;
        const vault = requireVault(hosts);
        const { key, secret, detail } = await makeKey(db, asked, wanted);
        await forgetKeyLinks(db);
        if ((await countWaiting(db, accountId)) >= MAX_WAITING)
          throw new AdminProblem(
            'conflict',
            `At most ${MAX_WAITING} links of an account wait at once. Withdraw one first.`,
          );
        const createdBy = actorName(actor);
        await appendAudit(db, { accountId, actor: createdBy, action: 'key.create', subject: key.id, detail });
        const id = newId('link');
        const code = randomBytes(CODE_BYTES).toString('base64url');
        await insertKeyLink(db, {
          accountId,
          id,
          keyId: key.id,
          codeHash: hashSecret(code),
          createdBy,
          validSeconds,
          secret: vault.seal(linkIdentity(accountId, id), secret),
        });
        const [made] = await listKeyLinks(db, accountId, { id }, 1);
        if (made === undefined) throw new Error('no row was inserted');
        // In the fragment, which browsers do not send and servers do not log.
        const url = `${consoleOrigin}/console/key#code=${code}`;
        return { answer: { ...shown(KeyLink, made), url }, subject: id, detail: { keyId: key.id, validSeconds } };
      }),
  }),
  route({
    method: 'GET',
    path: LIST,
    name: 'listKeyLinks',
    summary: 'Lists links by which keys were handed over, newest first, of the last month.',
    permission: 'admin',
    query: KeyLinkSearch,
    answer: KeyLinks,
    run: ({ store, accountId, query }) =>
      store.within(accountId, async (db) => {
        if ((await findAccount(db, accountId)) === undefined) throw notFound('Account', accountId);
        await forgetKeyLinks(db);
        const rows = await listKeyLinks(db, accountId, query, pageSize(query.limit));
        return { items: rows.map((row) => shown(KeyLink, row)), next: null };
      }),
  }),
  route({
    method: 'DELETE',
    path: `${LIST}/{id}`,
    name: 'withdrawKeyLink',
    summary: 'Withdraws a link that was not opened, and erases the secret. The key stays; revoke or rotate it.',
    permission: 'admin',
    answer: KeyLink,
    run: (asked) =>
      change(asked, 'key-link.withdraw', async (db) => {
        const { accountId, id } = asked;
        const [link] = await listKeyLinks(db, accountId, { id }, 1);
        if (link === undefined) throw notFound('Link', id);
        if (!(await withdrawKeyLink(db, accountId, id)))
          throw new AdminProblem('conflict', `The link is ${link.state}: it does not open any more.`);
        return { answer: { ...shown(KeyLink, link), state: 'withdrawn' }, detail: { keyId: link.key_id } };
      }),
  }),
];
