/** Saved views at the admin API: a person's own, and those that others of the account share. */

import { roleRank } from '../../people/accounts/rights.ts';
import { OPERATOR } from '../../store/postgres/store.ts';
import { type Actor, actorName } from '../api/actor.ts';
import { change } from '../api/change.ts';
import { newId } from '../api/ids.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { type DatabasePorts, routeWith } from '../api/route.ts';
import { NewView, SavedView, SavedViews, ViewSearch } from './contract.ts';
import {
  countViews,
  deleteView,
  findView,
  insertView,
  listViews,
  MAX_VIEWS,
  type ViewOwner,
  type ViewRow,
} from './rows.ts';

const route = routeWith<DatabasePorts>();

const ownerOf = (actor: Actor): ViewOwner => ({
  accountId: actor.kind === 'operator' ? null : actor.accountId,
  owner: actorName(actor),
});

const show = ({ created_at, ...row }: ViewRow, actor: Actor): SavedView => ({
  ...row,
  own: row.owner === actorName(actor),
  createdAt: created_at.toISOString(),
});

const isAtLeast = (actor: Actor, role: 'developer' | 'admin'): boolean =>
  actor.kind === 'operator' || roleRank(actor.role) >= roleRank(role);

export const viewRoutes = [
  route({
    method: 'GET',
    path: '/views',
    name: 'listViews',
    summary: "Lists the caller's saved views, and those that others of the account share.",
    permission: 'viewer',
    query: ViewSearch,
    answer: SavedViews,
    run: ({ store, actor, query }) => {
      const by = ownerOf(actor);
      return store.within(by.accountId ?? OPERATOR, async (db) => ({
        items: (await listViews(db, by, query.page)).map((row) => show(row, actor)),
        next: null,
      }));
    },
  }),
  route({
    method: 'POST',
    path: '/views',
    name: 'saveView',
    summary: 'Saves the filters of a list under a name. Only developers and above share views.',
    permission: 'viewer',
    body: NewView,
    status: 201,
    answer: SavedView,
    run: (asked) => {
      const { actor, body } = asked;
      const by = ownerOf(actor);
      if (body.shared && !isAtLeast(actor, 'developer'))
        throw new AdminProblem('forbidden', 'Viewers cannot share views.', 'shared');
      return change({ ...asked, accountId: by.accountId ?? '' }, 'view.save', async (db) => {
        if ((await countViews(db, by)) >= MAX_VIEWS)
          throw new AdminProblem('conflict', `At most ${MAX_VIEWS} views. Remove one first.`);
        const row = await insertView(db, { ...body, ...by, id: newId('view') });
        return { answer: show(row, actor), subject: row.id, detail: body };
      });
    },
  }),
  route({
    method: 'DELETE',
    path: '/views/{id}',
    name: 'removeView',
    summary: 'Deletes a saved view: an own one, or as an admin a shared one of the account.',
    permission: 'viewer',
    answer: SavedView,
    run: (asked) => {
      const { actor, id } = asked;
      const by = ownerOf(actor);
      return change({ ...asked, accountId: by.accountId ?? '' }, 'view.remove', async (db) => {
        const row = await findView(db, by, id);
        const isOwn = row?.owner === by.owner;
        if (row === undefined || !(isOwn || row.shared)) throw notFound('View', id);
        if (!isOwn && !isAtLeast(actor, 'admin'))
          throw new AdminProblem('forbidden', 'Only admins remove views that others share.');
        await deleteView(db, by, id);
        return { answer: show(row, actor), detail: { page: row.page, name: row.name } };
      });
    },
  }),
];
