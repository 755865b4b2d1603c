/** Webhooks at the admin API. Their secrets are shown only when they are created. */
import Type from 'typebox';
import { findAccount } from '../accounts/rows.ts';
import { change } from '../api/change.ts';
import { listOfItems, Page } from '../api/contract.ts';
import { newId } from '../api/ids.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { pageOf, pageSize, requireVault, routeWith } from '../api/route.ts';
import { shown } from '../api/shown.ts';
import { Rotation } from '../keys/contract.ts';
import { NewWebhook, Webhook, WebhookChange, WebhookDelivery, WebhookWithSecret } from './contract.ts';
import { showDelivery } from './delivery.ts';
import { insertWebhookMessage, listWebhookDeliveries, resendWebhookDelivery } from './delivery-rows.ts';
import { TEST_EVENT } from './events.ts';
import { testBody } from './message.ts';
import type { WebhookPorts } from './ports.ts';
import {
  countWebhooks,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  MAX_PER_ACCOUNT,
  type WebhookRow as Row,
  rotateWebhook,
  updateWebhook,
  webhookIdentity,
} from './rows.ts';
import { newWebhookSecret } from './signature.ts';

const route = routeWith<WebhookPorts>();

const show = (row: Row): Webhook => shown(Webhook, row);

const LIST = '/accounts/{account}/webhooks';
const ONE = `${LIST}/{id}`;

export const webhookRoutes = [
  route({
    method: 'GET',
    path: LIST,
    name: 'listWebhooks',
    summary: 'Lists the webhooks of an account.',
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
    summary: 'Adds a webhook and returns the secret that signs its messages.',
    permission: 'admin',
    body: NewWebhook,
    status: 201,
    answer: WebhookWithSecret,
    run: (asked) =>
      change(asked, 'webhook.add', async (db) => {
        const { hosts, webhooks, accountId, body } = asked;
        if ((await findAccount(db, accountId)) === undefined) throw notFound('Account', accountId);
        const problem = webhooks.problemWith(body.url);
        if (problem !== undefined) throw new AdminProblem('invalid', problem, 'url');
        if ((await countWebhooks(db, accountId)) >= MAX_PER_ACCOUNT)
          throw new AdminProblem('conflict', `An account has ${MAX_PER_ACCOUNT} webhooks at most.`);
        const id = newId('wh');
        const secret = newWebhookSecret();
        const sealed = requireVault(hosts).seal(webhookIdentity(accountId, id), secret);
        const webhook = show(await insertWebhook(db, { ...body, accountId, id, secret: sealed }));
        return { answer: { webhook, secret }, subject: id, detail: { url: body.url } };
      }),
  }),
  route({
    method: 'PATCH',
    path: ONE,
    name: 'changeWebhook',
    summary: 'Changes the events of a webhook.',
    permission: 'admin',
    body: WebhookChange,
    answer: Webhook,
    run: (asked) =>
      change(asked, 'webhook.change', async (db) => {
        const { accountId, id, body } = asked;
        const before = await findWebhook(db, accountId, id);
        const row = await updateWebhook(db, accountId, id, body);
        if (row === undefined) throw notFound('Webhook', id);
        return { answer: show(row), detail: body, before };
      }),
  }),
  route({
    method: 'POST',
    path: `${ONE}/test`,
    name: 'testWebhook',
    summary: 'Sends a test message (`webhook.test`). Its deliveries show the result.',
    permission: 'admin',
    status: 202,
    answer: WebhookDelivery,
    run: ({ store, accountId, id, nowMs }) =>
      store.within(accountId, async (db) => {
        const row = await findWebhook(db, accountId, id);
        if (row === undefined) throw notFound('Webhook', id);
        if (row.gone_at !== null) throw new AdminProblem('conflict', 'The webhook answered 410. Add it again.');
        const message = { account_id: accountId, webhook_id: id, id: newId('msg'), event: TEST_EVENT };
        return showDelivery(await insertWebhookMessage(db, { ...message, body: testBody(id, nowMs()) }));
      }),
  }),
  route({
    method: 'GET',
    path: `${ONE}/deliveries`,
    name: 'listWebhookDeliveries',
    summary: 'Lists the messages to a webhook of the last seven days, newest first.',
    permission: 'viewer',
    query: Page,
    answer: listOfItems(WebhookDelivery),
    run: ({ store, accountId, id, query }) =>
      store.within(accountId, async (db) => {
        if ((await findWebhook(db, accountId, id)) === undefined) throw notFound('Webhook', id);
        const limit = pageSize(query.limit);
        const rows = await listWebhookDeliveries(db, accountId, id, query.after, limit);
        return pageOf(rows, limit, showDelivery);
      }),
  }),
  route({
    method: 'POST',
    path: '/accounts/{account}/deliveries/{id}/resend',
    name: 'resendWebhookDelivery',
    summary: 'Sends a message to a webhook again, with a new set of attempts.',
    permission: 'admin',
    status: 202,
    answer: WebhookDelivery,
    run: (asked) =>
      change(asked, 'webhook.resend', async (db) => {
        const { accountId, id } = asked;
        const row = await resendWebhookDelivery(db, accountId, id);
        if (row === undefined) throw notFound('Delivery', id);
        return { answer: showDelivery(row) };
      }),
  }),
  route({
    method: 'POST',
    path: `${ONE}/rotate`,
    name: 'rotateWebhook',
    summary: 'Creates a new secret for a webhook. Messages are signed with both while the old secret is valid.',
    permission: 'admin',
    body: Rotation,
    answer: WebhookWithSecret,
    run: (asked) =>
      change(asked, 'webhook.rotate', async (db) => {
        const { hosts, accountId, id, body } = asked;
        const secret = newWebhookSecret();
        const sealed = requireVault(hosts).seal(webhookIdentity(accountId, id), secret);
        const row = await rotateWebhook(db, accountId, id, sealed, body.graceSeconds);
        if (row === undefined) throw notFound('Webhook', id);
        return { answer: { webhook: show(row), secret }, detail: { graceSeconds: body.graceSeconds } };
      }),
  }),
  route({
    method: 'DELETE',
    path: ONE,
    name: 'removeWebhook',
    summary: 'Deletes a webhook and its pending messages.',
    permission: 'admin',
    answer: Type.Object({}, { additionalProperties: false }),
    run: (asked) =>
      change(asked, 'webhook.remove', async (db) => {
        const { accountId, id } = asked;
        if (!(await deleteWebhook(db, accountId, id))) throw notFound('Webhook', id);
        return { answer: {} };
      }),
  }),
];
