/** Rules of alerts and their destinations as files declare them. URLs of destinations are secrets: files give them by reference. */
import Type, { type Static } from 'typebox';
import { actorName } from '../api/actor.ts';
import { withBefore } from '../api/change.ts';
import {
  type Applying,
  declaredKind,
  differenceOf,
  given,
  type Had,
  referenceOr,
  secretReference,
  type Wanted,
} from '../api/declared.ts';
import { newId } from '../api/ids.ts';
import { AdminProblem } from '../api/problem.ts';
import { requireVault } from '../api/route.ts';
import { ALERT_KINDS, type AlertKind } from '../webhooks/events.ts';
import { ruleProblem } from './alert-rules.ts';
import { AlertRuleChange, NewAlertDestination } from './contract.ts';
import { addressOf } from './destination-address.ts';
import {
  changeDestination,
  type DestinationRow,
  deleteDestination,
  insertDestination,
  listDestinations,
  MAX_DESTINATIONS,
  moveDestination,
  openAddress,
  sealAddress,
} from './destination-rows.ts';
import type { AlertPorts } from './ports.ts';
import { deleteAlertRule, listAlertRules, setAlertRule } from './rule-rows.ts';

type At = Applying<AlertPorts>;

const ruleEntry = Type.Object(
  { kind: Type.Enum([...ALERT_KINDS]), ...AlertRuleChange.properties },
  { additionalProperties: false },
);

async function setRule(at: At, { name, value }: Wanted, had?: Had): Promise<void> {
  await setAlertRule(at.db, name as AlertKind, value, actorName(at.actor));
  at.note({ accountId: null, action: 'alert-rule.change', subject: name, detail: withBefore(value, had?.value) });
}

export const alertRuleKind = declaredKind<AlertPorts>({
  kind: 'alert rule',
  permission: 'operator',
  schema: { top: { alertRules: Type.Optional(Type.Array(ruleEntry, { maxItems: ALERT_KINDS.length })) } },
  *wanted(document, at) {
    type Entry = Static<typeof ruleEntry>;
    for (const [index, { kind, ...value }] of ((document['alertRules'] ?? []) as readonly Entry[]).entries()) {
      const path = ['alertRules', index];
      const problem = ruleProblem(kind, value);
      if (problem !== undefined) at.report(path, problem);
      yield { account: '', name: kind, value, path };
    }
  },
  isListed: (document) => document['alertRules'] !== undefined,
  read: async ({ db, actor }) =>
    actor.kind === 'operator'
      ? (await listAlertRules(db)).map(({ kind, rule }) => ({ account: '', name: kind, id: kind, value: rule }))
      : [],
  create: async (at, wanted) => {
    for (const one of wanted) await setRule(at, one);
  },
  change: async (at, changes) => {
    for (const { wanted, had } of changes) await setRule(at, wanted, had);
  },
  remove: async (at, had) => {
    for (const { name } of had) {
      await deleteAlertRule(at.db, name as AlertKind);
      at.note({ accountId: null, action: 'alert-rule.reset', subject: name, detail: {} });
    }
  },
  write: (had, into) => {
    if (had.length > 0) into.top['alertRules'] = had.map(({ name: kind, value }) => ({ kind, ...value }));
  },
});

const { kind, name, to, events } = NewAlertDestination.properties;
const destinationEntry = Type.Object(
  { name, kind, url: Type.Optional(secretReference('The URL that messages are posted to, by reference.')), to, events },
  { additionalProperties: false },
);
type DestinationEntry = Static<typeof destinationEntry>;

/** The reference of a URL that no file has given yet. */
const placeholder = (text: string): string => `env:ALERT_URL_${text.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}`;

const addressFor = (at: At, { value, secrets }: Wanted) => {
  const { kind: form, to: mail } = value as unknown as DestinationEntry;
  const url = secrets?.['url'];
  return addressOf(
    { kind: form, ...(url !== undefined && { url }), ...(mail !== undefined && { to: mail }) },
    at.ports.alerts.hasMail(),
  );
};

/** Compared with what is sealed: the reference may be the same, and its value another. */
function isOtherUrl(at: At, wanted: Wanted, had: Had): boolean {
  const url = wanted.secrets?.['url'];
  if (url === undefined) return false;
  const address = openAddress(requireVault(at.ports.hosts), had.id, had.row as DestinationRow);
  return address === undefined || !('url' in address) || address.url !== url;
}

function checkAddress(at: At, wanted: Wanted): void {
  try {
    addressFor(at, wanted);
  } catch (error) {
    if (!(error instanceof AdminProblem)) throw error;
    at.report([...wanted.path, ...(error.field === undefined ? [] : [error.field])], error.message);
  }
}

export const alertDestinationKind = declaredKind<AlertPorts>({
  kind: 'alert destination',
  permission: 'operator',
  schema: {
    top: { alertDestinations: Type.Optional(Type.Array(destinationEntry, { maxItems: MAX_DESTINATIONS })) },
  },
  hasSecret: ({ value }) => value['kind'] === 'webhook',
  *wanted(document, at) {
    const entries = (document['alertDestinations'] ?? []) as readonly DestinationEntry[];
    for (const [index, { name: own, url, events: chosen = null, ...rest }] of entries.entries()) {
      const wanted: Wanted = {
        account: '',
        name: own,
        value: given({ ...rest, url: url?.from, events: chosen }),
        path: ['alertDestinations', index],
        ...(url?.value !== undefined && { secrets: { url: url.value } }),
      };
      checkAddress(at, wanted);
      yield wanted;
    }
  },
  isListed: (document) => document['alertDestinations'] !== undefined,
  read: async (at) => {
    if (at.actor.kind !== 'operator') return [];
    const rows = await listDestinations(at.db);
    return rows.map((row) => {
      const { id, name: own, kind: form, shown, events: chosen } = row;
      const { url = placeholder(own) } = at.kept('alert destination', '', own) ?? {};
      const address = form === 'mail' ? { to: shown.split(', ') } : { url };
      return { account: '', name: own, id, value: { kind: form, ...address, events: chosen }, row };
    });
  },
  difference: (at, wanted, had) => {
    if (had === undefined) return { after: wanted.value };
    const { url, ...compared } = wanted.value;
    const difference = differenceOf(compared, had.value);
    if (!isOtherUrl(at, wanted, had)) return difference;
    return { before: { ...difference?.before, url: 'another' }, after: { ...difference?.after, url } };
  },
  create: async (at, wanted) => {
    for (const one of wanted) {
      const id = newId('dst');
      const { address, shown } = addressFor(at, one);
      const { kind: form, events: chosen = null } = one.value as unknown as DestinationEntry;
      const sealed = sealAddress(requireVault(at.ports.hosts), id, address);
      await insertDestination(at.db, { id, kind: form, name: one.name, shown, events: chosen, sealed });
      if ('secret' in address && address.secret !== undefined) at.giveSecret('alert destination', one, address.secret);
      const detail = { kind: form, name: one.name, target: shown };
      at.note({ accountId: null, action: 'alert-destination.add', subject: id, detail });
    }
  },
  change: async (at, changes) => {
    for (const { wanted, had } of changes) {
      const { kind: form, events: chosen = null, to: mail } = wanted.value as unknown as DestinationEntry;
      const row = had.row as DestinationRow;
      await changeDestination(at.db, had.id, { events: chosen });
      if (form !== row.kind || isOtherUrl(at, wanted, had) || (mail !== undefined && mail.join(', ') !== row.shown)) {
        const vault = requireVault(at.ports.hosts);
        const { address: fresh, shown } = addressFor(at, wanted);
        const before = openAddress(vault, had.id, row);
        // Receivers know the secret of a webhook: it moves with it.
        const kept = before !== undefined && 'secret' in before && form === 'webhook' ? { secret: before.secret } : {};
        const sealed = sealAddress(vault, had.id, { ...fresh, ...kept } as typeof fresh);
        await moveDestination(at.db, had.id, { kind: form, shown, sealed });
        const isNewSecret = 'secret' in fresh && fresh.secret !== undefined && !('secret' in kept);
        if (isNewSecret) at.giveSecret('alert destination', wanted, fresh.secret ?? '');
      }
      const detail = { kind: form, name: wanted.name, events: chosen };
      at.note({ accountId: null, action: 'alert-destination.change', subject: had.id, detail });
    }
  },
  remove: async (at, had) => {
    for (const { id } of had) {
      await deleteDestination(at.db, id);
      at.note({ accountId: null, action: 'alert-destination.remove', subject: id, detail: {} });
    }
  },
  write: (had, into) => {
    const sorted = [...had].sort((one, other) => (one.name < other.name ? -1 : 1));
    if (sorted.length > 0)
      into.top['alertDestinations'] = sorted.map(({ name: own, value: { events: chosen, url, ...value } }) =>
        given({ name: own, ...value, url: url && referenceOr(url), events: chosen ?? undefined }),
      );
  },
});
