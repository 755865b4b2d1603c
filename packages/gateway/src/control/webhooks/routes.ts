/** Webhooks at the admin API. Their secrets are shown only when they are created. */
import Type from 'typebox';
import { findAccount } from '../accounts/rows.ts';
import { WebhookDelivery } from '../alerts/contract.ts';
import { showDelivery } from '../alerts/delivery.ts';
import { actorName } from '../api/actor.ts';
import { listOfItems, NewWebhook, Page, Rotation, Webhook, WebhookChange, WebhookWithSecret } from '../api/contract.ts';
import { newId } from '../api/ids.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { pageOf, pageSize, requireVault, route } from '../api/route.ts';
import { appendAudit } from '../audit/rows.ts';
import { insertWebhookMessage, listWebhookDeliveries, resendWebhookDelivery } from './delivery-rows.ts';
import { TEST_EVENT } from './events.ts';
import { testBody } from './message.ts';
import {
  chooseEvents,
  countWebhooks,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  type WebhookRow as Row,
  rotateWebhook,
  webhookIdentity,
} from './rows.ts';
import { newWebhookSecret } from './signature.ts';

const show = ({ id, url, created_at, previous_until, gone_at, events }: Row): Webhook => ({
  id,
  url,
  createdAt: created_at.toISOString(),
  previousUntil: previous_until?.toISOString() ?? null,
  goneAt: gone_at?.toISOString() ?? null,
  events: events === null ? null : ([...events] as Webhook['events']),
});

/** Every message goes to all of them. */
const MAX_PER_ACCOUNT = 16;
const LIST = '/accounts/{account}/webhooks';
const ONE = `${LIST}/{id}`;

export const webhookRoutes = [
  route({
    method: 'GET',
    path: LIST,
    name: 'listWebhooks',
    summary: 'Where events of an account are sent.',
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
        const of = { accountId, id, url: body.url, events: body.events ?? null };
        const webhook = show(await insertWebhook(db, { ...of, secret: sealed }));
        const detail = { url: body.url };
        await appendAudit(db, { accountId, actor: actorName(actor), action: 'webhook.add', subject: id, detail });
        return { webhook, secret };
      }),
  }),
  route({
    method: 'PATCH',
    path: ONE,
    name: 'changeWebhook',
    summary: 'Chooses the events a webhook gets.',
    permission: 'admin',
    body: WebhookChange,
    answer: Webhook,
    run: ({ store, actor, accountId, id, body }) =>
      store.within(accountId, async (db) => {
        const row = await chooseEvents(db, accountId, id, body.events);
        if (row === undefined) throw notFound('Webhook', id);
        const detail = { events: body.events };
        await appendAudit(db, { accountId, actor: actorName(actor), action: 'webhook.change', subject: id, detail });
        return show(row);
      }),
  }),
  route({
    method: 'POST',
    path: `${ONE}/test`,
    name: 'testWebhook',
    summary: 'Sends a message of the type webhook.test. The deliveries show the result.',
    permission: 'admin',
    status: 202,
    answer: WebhookDelivery,
    run: ({ store, accountId, id, nowMs }) =>
      store.within(accountId, async (db) => {
        const row = await findWebhook(db, accountId, id);
        if (row === undefined) throw notFound('Webhook', id);
        if (row.gone_at !== null) throw new AdminProblem('conflict', 'The webhook answered 410. Add it again.');
        const message = { accountId, webhookId: id, id: newId('msg'), event: TEST_EVENT };
        return showDelivery(await insertWebhookMessage(db, message, testBody(id, nowMs())));
      }),
  }),
  route({
    method: 'GET',
    path: `${ONE}/deliveries`,
    name: 'listWebhookDeliveries',
    summary: 'Messages to a webhook of the last seven days, the newest first.',
    permission: 'viewer',
    query: Page,
    answer: listOfItems(WebhookDelivery),
    run: ({ store, accountId, id, query }) =>
      store.within(accountId, async (db) => {
        if ((await findWebhook(db, accountId, id)) === undefined) throw notFound('Webhook', id);
        const limit = pageSize(query.limit);
        const rows = await listWebhookDeliveries(db, accountId, id, query.after, limit);
        return pageOf(rows, limit, (row) => row.id, showDelivery);
      }),
  }),
  route({
    method: 'POST',
    path: '/accounts/{account}/deliveries/{id}/resend',
    name: 'resendWebhookDelivery',
    summary: 'Sends a message of a webhook again, with all its tries before it.',
    permission: 'admin',
    status: 202,
    answer: WebhookDelivery,
    run: ({ store, actor, accountId, id }) =>
      store.within(accountId, async (db) => {
        const row = await resendWebhookDelivery(db, accountId, id);
        if (row === undefined) throw notFound('Delivery', id);
        await appendAudit(db, {
          accountId,
          actor: actorName(actor),
          action: 'webhook.resend',
          subject: id,
          detail: {},
        });
        return showDelivery(row);
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
    summary: 'Removes a webhook and all messages on their way to it.',
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
