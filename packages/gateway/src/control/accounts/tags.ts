/** Tags at the admin API: dimensions of an account's usage sums, which its requests may be required to have. */

import { change } from '../api/change.ts';
import { listOfItems } from '../api/contract.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { type DatabasePorts, routeWith } from '../api/route.ts';
import { shown } from '../api/shown.ts';
import { requireAccount } from './require-account.ts';
import { declareTag, listTags, MAX_TAGS, type TagRow, withdrawTag } from './tag-rows.ts';
import { NewTag, Tag, TagName } from './tags-contract.ts';

const route = routeWith<DatabasePorts>();

const TAGS = '/accounts/{account}/tags';

const show = (row: TagRow): Tag => shown(Tag, row);

export const tagRoutes = [
  route({
    method: 'GET',
    path: TAGS,
    name: 'listTags',
    summary: 'Lists the declared tags of an account.',
    permission: 'viewer',
    answer: listOfItems(Tag),
    run: async ({ store, accountId }) => {
      await requireAccount(store, accountId);
      const rows = await store.within(accountId, (db) => listTags(db, accountId));
      return { items: rows.map(show), next: null };
    },
  }),
  route({
    method: 'POST',
    path: TAGS,
    name: 'declareTag',
    summary: `Declares a tag, or changes whether it is required. At most ${MAX_TAGS} per account.`,
    permission: 'admin',
    body: NewTag,
    answer: Tag,
    run: async (asked) => {
      const { accountId, body } = asked;
      const { key, required = false } = body;
      await requireAccount(asked.store, accountId);
      return change(asked, 'tag.declare', async (db) => {
        const declared = await declareTag(db, accountId, { key, required });
        if (declared === undefined)
          throw new AdminProblem('conflict', `The account has declared ${MAX_TAGS} tags already.`, 'key');
        return { answer: show(declared), subject: key, detail: { key, required } };
      });
    },
  }),
  route({
    method: 'DELETE',
    path: TAGS,
    name: 'withdrawTag',
    summary: 'Withdraws a tag: it is no longer summed up or required. Earlier sums stay.',
    permission: 'admin',
    query: TagName,
    answer: TagName,
    run: async (asked) => {
      const { accountId, query } = asked;
      await requireAccount(asked.store, accountId);
      return change(asked, 'tag.withdraw', async (db) => {
        if (!(await withdrawTag(db, accountId, query.key))) throw notFound('Tag', query.key);
        return { answer: { key: query.key }, subject: query.key };
      });
    },
  }),
];
