/** Alerts at the admin API: what was raised, by which rules, and where it is sent. */
import Type from 'typebox';
import { type Db, OPERATOR } from '../../store/postgres/store.ts';
import { requireAccount } from '../accounts/require-account.ts';
import { actorName } from '../api/actor.ts';
import { change } from '../api/change.ts';
import { listOfItems, Page } from '../api/contract.ts';
import { newId } from '../api/ids.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { pageOf, pageSize, requireVault, routeWith } from '../api/route.ts';
import { shown } from '../api/shown.ts';
import { WebhookDelivery } from '../webhooks/contract.ts';
import { showDelivery } from '../webhooks/delivery.ts';
import {
  insertDestinationMessage,
  listDestinationDeliveries,
  resendDestinationDelivery,
} from '../webhooks/delivery-rows.ts';
import { ALERT_KINDS, type AlertKind, TEST_EVENT } from '../webhooks/events.ts';
import { alertRules, ruleProblem, withStoredRules } from './alert-rules.ts';
import { bodyFor } from './bodies.ts';
import {
  AddedAlertDestination,
  Alert,
  AlertDestination,
  AlertDestinationChange,
  AlertPage,
  AlertPreview,
  AlertRule,
  AlertRuleChange,
  NewAlertDestination,
  type ShownAlert,
} from './contract.ts';
import { addressOf } from './destination-address.ts';
import {
  changeDestination,
  deleteDestination,
  findDestination,
  insertDestination,
  listDestinations,
  MAX_DESTINATIONS,
  type DestinationRow as Row,
  sealAddress,
} from './destination-rows.ts';
import type { AlertPorts } from './ports.ts';
import { type AlertRow, acknowledgeAlert, listAlerts } from './rows.ts';
import { previewRule } from './rule-preview.ts';
import { deleteAlertRule, listAlertRules, setAlertRule } from './rule-rows.ts';

const route = routeWith<AlertPorts>();

const show = (row: AlertRow): ShownAlert => shown(Alert, row);

const showDestination = (row: Row): AlertDestination => shown(AlertDestination, row, { target: row.shown });

const DESTINATIONS = '/alerts/destinations';
const ONE = `${DESTINATIONS}/{id}`;
const RULE = '/alerts/rules/{id}';

function kindOf(id: string): AlertKind {
  const kind = ALERT_KINDS.find((known) => known === id);
  if (kind === undefined) throw notFound('Alert rule', id);
  return kind;
}

/** As it is after the change, which the settings of this node follow later. */
async function ruleIn(db: Db, { alerts }: Pick<AlertPorts, 'alerts'>, kind: AlertKind): Promise<AlertRule> {
  const rules = alertRules(withStoredRules(alerts.configured(), await listAlertRules(db)));
  const rule = rules.find((one) => one.kind === kind);
  if (rule === undefined) throw notFound('Alert rule', kind);
  return rule;
}

export const alertRoutes = [
  route({
    method: 'GET',
    path: '/alerts',
    name: 'listAlerts',
    summary: 'Lists alerts of all accounts and of the gateway, newest first.',
    permission: 'operator',
    query: AlertPage,
    answer: listOfItems(Alert),
    run: async ({ store, query }) => {
      const limit = pageSize(query.limit);
      const filter = { ...(query.kind !== undefined && { kind: query.kind }), isOpen: query.state === 'open' };
      const rows = await store.within(OPERATOR, (db) => listAlerts(db, filter, query.after, limit));
      return pageOf(rows, limit, show);
    },
  }),
  route({
    method: 'GET',
    path: '/accounts/{account}/alerts',
    name: 'listAccountAlerts',
    summary: 'Lists alerts of an account, newest first.',
    permission: 'viewer',
    query: AlertPage,
    answer: listOfItems(Alert),
    run: async ({ store, accountId, query }) => {
      await requireAccount(store, accountId);
      const limit = pageSize(query.limit);
      const kind = query.kind === undefined ? {} : { kind: query.kind };
      const rows = await store.within(accountId, (db) =>
        listAlerts(db, { accountId, ...kind, isOpen: query.state === 'open' }, query.after, limit),
      );
      return pageOf(rows, limit, show);
    },
  }),
  route({
    method: 'GET',
    path: '/alerts/rules',
    name: 'listAlertRules',
    summary: 'Lists the alert rules with their configured values.',
    permission: 'operator',
    answer: listOfItems(AlertRule),
    run: async ({ store, alerts }) => {
      const stored = await store.within(OPERATOR, listAlertRules);
      return { items: alertRules(withStoredRules(alerts.configured(), stored)), next: null };
    },
  }),
  route({
    method: 'PATCH',
    path: RULE,
    name: 'changeAlertRule',
    summary: 'Sets thresholds of a kind of alert, or switches it off. Members that are left out are as configured.',
    permission: 'operator',
    body: AlertRuleChange,
    answer: AlertRule,
    run: (asked) =>
      change(asked, 'alert-rule.change', async (db) => {
        const { id, body, actor } = asked;
        const kind = kindOf(id);
        const problem = ruleProblem(kind, body);
        if (problem !== undefined) throw new AdminProblem('invalid', problem);
        const { enabled, values } = await ruleIn(db, asked, kind);
        await setAlertRule(db, kind, body, actorName(actor));
        return { answer: await ruleIn(db, asked, kind), detail: body, before: { enabled, ...values } };
      }),
  }),
  route({
    method: 'POST',
    path: `${RULE}/preview`,
    name: 'previewAlertRule',
    summary: 'Tells how often a rule would have raised an alert in the last week. Changes nothing.',
    permission: 'operator',
    body: AlertRuleChange,
    answer: AlertPreview,
    run: async ({ store, alerts, id, body, nowMs }) => {
      const kind = kindOf(id);
      const problem = ruleProblem(kind, body);
      if (problem !== undefined) throw new AdminProblem('invalid', problem);
      const settings = withStoredRules(alerts.configured(), [{ kind, rule: body }]);
      return store.reading(OPERATOR, (db) => previewRule(db, kind, settings, nowMs()));
    },
  }),
  route({
    method: 'DELETE',
    path: RULE,
    name: 'resetAlertRule',
    summary: 'Deletes the thresholds of a kind of alert: those of the configuration apply again.',
    permission: 'operator',
    answer: AlertRule,
    run: (asked) =>
      change(asked, 'alert-rule.reset', async (db) => {
        const kind = kindOf(asked.id);
        if (!(await deleteAlertRule(db, kind))) throw notFound('Alert rule', asked.id);
        return { answer: await ruleIn(db, asked, kind) };
      }),
  }),
  route({
    method: 'POST',
    path: '/alerts/{id}/acknowledge',
    name: 'acknowledgeAlert',
    summary: 'Acknowledges an alert, so that it is no longer listed as open.',
    permission: 'operator',
    answer: Alert,
    run: ({ store, actor, id }) =>
      store.within(OPERATOR, async (db) => {
        const row = await acknowledgeAlert(db, id, actorName(actor));
        if (row === undefined) throw notFound('Alert', id);
        return show(row);
      }),
  }),
  route({
    method: 'GET',
    path: DESTINATIONS,
    name: 'listAlertDestinations',
    summary: 'Lists the destinations of alerts.',
    permission: 'operator',
    answer: listOfItems(AlertDestination),
    run: async ({ store }) => ({
      items: (await store.within(OPERATOR, listDestinations)).map(showDestination),
      next: null,
    }),
  }),
  route({
    method: 'POST',
    path: DESTINATIONS,
    name: 'addAlertDestination',
    summary: 'Adds a destination for alerts: a signed webhook, Slack, Teams, Discord or mail.',
    permission: 'operator',
    body: NewAlertDestination,
    status: 201,
    answer: AddedAlertDestination,
    run: (asked) =>
      change(asked, 'alert-destination.add', async (db) => {
        const { hosts, alerts, body } = asked;
        const { address, shown } = addressOf(body, alerts.hasMail());
        if ((await listDestinations(db)).length >= MAX_DESTINATIONS)
          throw new AdminProblem('conflict', `There are ${MAX_DESTINATIONS} destinations at most.`);
        const id = newId('dst');
        const { kind, name, events = null } = body;
        const sealed = sealAddress(requireVault(hosts), id, address);
        const destination = showDestination(await insertDestination(db, { id, kind, name, shown, events, sealed }));
        return {
          answer: { destination, secret: ('secret' in address ? address.secret : null) ?? null },
          subject: id,
          detail: { kind, name, target: shown },
        };
      }),
  }),
  route({
    method: 'PATCH',
    path: ONE,
    name: 'changeAlertDestination',
    summary: 'Changes the name or the kinds of alerts of a destination.',
    permission: 'operator',
    body: AlertDestinationChange,
    answer: AlertDestination,
    run: (asked) =>
      change(asked, 'alert-destination.change', async (db) => {
        const { id, body } = asked;
        const before = await findDestination(db, id);
        const row = await changeDestination(db, id, body);
        if (row === undefined) throw notFound('Destination', id);
        return { answer: showDestination(row), detail: { ...body }, before };
      }),
  }),
  route({
    method: 'DELETE',
    path: ONE,
    name: 'removeAlertDestination',
    summary: 'Deletes a destination and its pending messages.',
    permission: 'operator',
    answer: Type.Object({}, { additionalProperties: false }),
    run: (asked) =>
      change(asked, 'alert-destination.remove', async (db) => {
        const { id } = asked;
        if (!(await deleteDestination(db, id))) throw notFound('Destination', id);
        return { answer: {} };
      }),
  }),
  route({
    method: 'POST',
    path: `${ONE}/test`,
    name: 'testAlertDestination',
    summary: 'Sends a test message to a destination. Its deliveries show the result.',
    permission: 'operator',
    status: 202,
    answer: WebhookDelivery,
    run: ({ store, id, nowMs }) =>
      store.within(OPERATOR, async (db) => {
        const row = await findDestination(db, id);
        if (row === undefined) throw notFound('Destination', id);
        if (row.gone_at !== null) throw new AdminProblem('conflict', 'The destination answered 410. Add it again.');
        const messageId = newId('msg');
        const test = {
          id: messageId,
          kind: TEST_EVENT,
          title: 'This is a test of an alert destination.',
          facts: { destination: row.name },
          raisedAtMs: nowMs(),
        };
        const message = { id: messageId, destination_id: id, event: TEST_EVENT, body: bodyFor(row.kind, test) };
        return showDelivery(await insertDestinationMessage(db, message));
      }),
  }),
  route({
    method: 'GET',
    path: `${ONE}/deliveries`,
    name: 'listAlertDeliveries',
    summary: 'Lists the messages to a destination of the last seven days, newest first.',
    permission: 'operator',
    query: Page,
    answer: listOfItems(WebhookDelivery),
    run: ({ store, id, query }) =>
      store.within(OPERATOR, async (db) => {
        if ((await findDestination(db, id)) === undefined) throw notFound('Destination', id);
        const limit = pageSize(query.limit);
        const rows = await listDestinationDeliveries(db, id, query.after, limit);
        return pageOf(rows, limit, showDelivery);
      }),
  }),
  route({
    method: 'POST',
    path: '/alerts/deliveries/{id}/resend',
    name: 'resendAlertDelivery',
    summary: 'Sends a message to a destination again, with a new set of attempts.',
    permission: 'operator',
    status: 202,
    answer: WebhookDelivery,
    run: (asked) =>
      change(asked, 'alert-delivery.resend', async (db) => {
        const { id } = asked;
        const row = await resendDestinationDelivery(db, id);
        if (row === undefined) throw notFound('Delivery', id);
        return { answer: showDelivery(row) };
      }),
  }),
];
