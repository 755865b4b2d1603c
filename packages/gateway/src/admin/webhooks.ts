/** Webhooks at the admin API. Their secrets are shown when they are made, and never again. */
import Type from 'typebox';
import { findAccount } from '../store/postgres/accounts.ts';
import { appendAudit } from '../store/postgres/audit.ts';
import {
  countWebhooks,
  deleteWebhook,
  insertWebhook,
  listWebhooks,
  type WebhookRow as Row,
  rotateWebhook,
  webhookIdentity,
} from '../store/postgres/webhooks.ts';
import { newWebhookSecret } from '../webhooks/signature.ts';
import { actorName } from './actor.ts';
import { listOfItems, NewWebhook, Rotation, Webhook, WebhookWithSecret } from './contract.ts';
import { newId } from './ids.ts';
import { AdminProblem, notFound } from './problem.ts';
import { requireVault, route } from './route.ts';

const show = ({ id, url, created_at, previous_until, gone_at }: Row): Webhook => ({
  id,
  url,
  createdAt: created_at.toISOString(),
  previousUntil: previous_until?.toISOString() ?? null,
  goneAt: gone_at?.toISOString() ?? null,
});

/** Each message goes to all of them. */
const MAX_PER_ACCOUNT = 16;
const LIST = '/accounts/{account}/webhooks';
const ONE = `${LIST}/{id}`;

export const webhookRoutes = [
  route({
    method: 'GET',
    path: LIST,
    name: 'listWebhooks',
    summary: 'Where an account is told of its finished operations.',
    permission: 'viewer',
    answer: listOfItems(Webhook),
    run: ({ store, accountId }) =>
      store.within(accountId, async (db) => {
        if ((await findAccount(db, accountId)) === undefined) throw notFound('Account', accountId);
        return { items: (await listWebhooks(db, accountId)).map(show), next: null };
      }),
  }),
  route({
    method: 'POST',
    path: LIST,
    name: 'addWebhook',
    summary: 'A new webhook, and the secret that signs its messages.',
    permission: 'admin',
    body: NewWebhook,
    status: 201,
    answer: WebhookWithSecret,
    run: ({ store, hosts, webhooks, actor, accountId, body }) =>
      store.within(accountId, async (db) => {
        if ((await findAccount(db, accountId)) === undefined) throw notFound('Account', accountId);
        const problem = webhooks.problemWith(body.url);
        if (problem !== undefined) throw new AdminProblem('invalid', problem, 'url');
        if ((await countWebhooks(db, accountId)) >= MAX_PER_ACCOUNT)
          throw new AdminProblem('conflict', `An account has ${MAX_PER_ACCOUNT} webhooks at most.`);
        const id = newId('wh');
        const secret = newWebhookSecret();
        const sealed = requireVault(hosts).seal(webhookIdentity(accountId, id), secret);
        const webhook = show(await insertWebhook(db, { accountId, id, url: body.url, secret: sealed }));
        const detail = { url: body.url };
        await appendAudit(db, { accountId, actor: actorName(actor), action: 'webhook.add', subject: id, detail });
        return { webhook, secret };
      }),
  }),
  route({
    method: 'POST',
    path: `${ONE}/rotate`,
    name: 'rotateWebhook',
    summary: 'A new secret. Messages bear signatures of both while the old one is still good.',
    permission: 'admin',
    body: Rotation,
    answer: WebhookWithSecret,
    run: ({ store, hosts, actor, accountId, id, body }) =>
      store.within(accountId, async (db) => {
        const secret = newWebhookSecret();
        const sealed = requireVault(hosts).seal(webhookIdentity(accountId, id), secret);
        const row = await rotateWebhook(db, accountId, id, sealed, body.graceSeconds);
        if (row === undefined) throw notFound('Webhook', id);
        const detail = { graceSeconds: body.graceSeconds };
        await appendAudit(db, { accountId, actor: actorName(actor), action: 'webhook.rotate', subject: id, detail });
        return { webhook: show(row), secret };
      }),
  }),
  route({
    method: 'DELETE',
    path: ONE,
    name: 'removeWebhook',
    summary: 'Removes a webhook and whatever was still on its way to it.',
    permission: 'admin',
    answer: Type.Object({}, { additionalProperties: false }),
    run: ({ store, actor, accountId, id }) =>
      store.within(accountId, async (db) => {
        if (!(await deleteWebhook(db, accountId, id))) throw notFound('Webhook', id);
        await appendAudit(db, {
          accountId,
          actor: actorName(actor),
          action: 'webhook.remove',
          subject: id,
          detail: {},
        });
        return {};
      }),
  }),
];
