/** Tags at the admin API: dimensions of an account's usage sums, which its requests may be required to have. */

import { actorName } from '../api/actor.ts';
import { listOfItems } from '../api/contract.ts';
import { NewTag, Tag, TagName } from '../api/contract-tags.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { route } from '../api/route.ts';
import { appendAudit } from '../audit/rows.ts';
import { requireAccount } from './require-account.ts';
import { declareTag, listTags, MAX_TAGS, type TagRow, withdrawTag } from './tag-rows.ts';

const TAGS = '/accounts/{account}/tags';

const show = ({ key, required, created_at }: TagRow): Tag => ({ key, required, createdAt: created_at.toISOString() });

export const tagRoutes = [
  route({
    method: 'GET',
    path: TAGS,
    name: 'listTags',
    summary: 'The tags an account has declared.',
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
    run: async ({ store, actor, accountId, body: { key, required = false } }) => {
      await requireAccount(store, accountId);
      return store.within(accountId, async (db) => {
        const declared = await declareTag(db, accountId, { key, required });
        if (declared === undefined)
          throw new AdminProblem('conflict', `The account has declared ${MAX_TAGS} tags already.`, 'key');
        const detail = { key, required };
        await appendAudit(db, { accountId, actor: actorName(actor), action: 'tag.declare', subject: key, detail });
        return show(declared);
      });
    },
  }),
  route({
    method: 'DELETE',
    path: TAGS,
    name: 'withdrawTag',
    summary: 'Withdraws a tag: from now on it is neither summed up nor required. Sums made before stay.',
    permission: 'admin',
    query: TagName,
    answer: TagName,
    run: async ({ store, actor, accountId, query: { key } }) => {
      await requireAccount(store, accountId);
      return store.within(accountId, async (db) => {
        if (!(await withdrawTag(db, accountId, key))) throw notFound('Tag', key);
        await appendAudit(db, { accountId, actor: actorName(actor), action: 'tag.withdraw', subject: key, detail: {} });
        return { key };
      });
    },
  }),
];
