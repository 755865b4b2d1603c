/** Rules of what content is captured, of accounts and keys, as files declare them. A rule whose end has passed is off. */
import { type Selectable, sql } from 'kysely';
import Type, { type Static } from 'typebox';
import { actorName } from '../api/actor.ts';
import {
  type Applying,
  type DeclaredPath,
  type DeclaredValue,
  type Difference,
  declaredKind,
  differenceOf,
  entriesOf,
  given,
  type Wanted,
} from '../api/declared.ts';
import { requireVault } from '../api/route.ts';
import { AccountRecordsChange, KeyRecordsChange, MAX_CAPTURE_DAYS } from './capture-contract.ts';
import type { CapturedPorts } from './captured-port.ts';
import { insertCaptureRule } from './rows.ts';
import type { CaptureRule } from './rules.ts';
import type { CaptureRulesTable } from './tables.ts';

type At = Applying<CapturedPorts>;
type Rule = Static<typeof KeyRecordsChange>;

const DAY_MS = 86_400_000;
const ACCOUNT = 'account';
const KEY = 'key:';

const keyName = (name: string): string | undefined => (name === ACCOUNT ? undefined : name.slice(KEY.length));
const isOn = (bodies: unknown): boolean => bodies !== undefined && bodies !== 'off' && bodies !== 'inherit';

function wantedRule(at: At, rule: Rule, path: DeclaredPath): DeclaredValue {
  const { bodies = 'off', until } = rule;
  if (!isOn(bodies)) return { bodies };
  const nowMs = at.ports.nowMs();
  const untilMs = until === undefined ? Number.NaN : Date.parse(until);
  if (Number.isNaN(untilMs)) at.report(path, 'until is required: content is captured until a date');
  if (untilMs > nowMs + MAX_CAPTURE_DAYS * DAY_MS)
    at.report([...path, 'until'], `must be at most ${MAX_CAPTURE_DAYS} days from now`);
  if (untilMs <= nowMs) return { bodies: 'off' };
  return given({ ...rule, bodies, until: Number.isNaN(untilMs) ? until : new Date(untilMs).toISOString() });
}

async function setRule(at: At, { account, name, value }: Wanted): Promise<void> {
  const {
    bodies,
    samplePercent = 10,
    keepHours = 24,
    until,
  } = value as Rule & { readonly bodies: CaptureRule['bodies'] };
  const key = keyName(name);
  const keyId = key === undefined ? null : (at.idOf('key', account, key) ?? null);
  const untilMs = until === undefined ? null : Date.parse(until);
  if (untilMs !== null) requireVault(at.ports.hosts);
  await insertCaptureRule(
    at.db,
    { accountId: account, keyId, bodies, samplePercent, keepHours, untilMs },
    actorName(at.actor),
  );
  const detail = { bodies, samplePercent, keepHours, until: until ?? null };
  at.note({ accountId: account, action: 'capture.change', subject: keyId ?? account, detail });
  at.afterwards(() => at.ports.captured.follow());
}

export const captureKind = declaredKind<CapturedPorts>({
  kind: 'capture',
  permission: 'admin',
  schema: {
    account: { capture: Type.Optional(Type.Object(AccountRecordsChange.properties, { additionalProperties: false })) },
    keys: { capture: Type.Optional(Type.Object(KeyRecordsChange.properties, { additionalProperties: false })) },
  },
  *wanted(document, at) {
    for (const [index, account] of (document.accounts ?? []).entries()) {
      const path = ['accounts', index, 'capture'];
      if (account['capture'] !== undefined)
        yield { account: account.id, name: ACCOUNT, value: wantedRule(at, account['capture'] as Rule, path), path };
    }
    type Entry = { readonly name: string; readonly capture?: Rule };
    for (const { account, entry, path } of entriesOf<Entry>(document, 'keys')) {
      const place = [...path, 'capture'];
      if (entry.capture !== undefined)
        yield { account, name: `${KEY}${entry.name}`, value: wantedRule(at, entry.capture, place), path: place };
    }
  },
  isListed: () => false,
  read: async (at) => {
    const { rows } = await sql<Selectable<CaptureRulesTable>>`
      select distinct on (account_id, key_id) * from capture_rules
      where ${at.accounts === undefined ? sql`true` : sql`account_id = any(${at.accounts})`}
      order by account_id, key_id nulls first, from_at desc, id desc`.execute(at.db);
    return rows.flatMap((row) => {
      const { account_id: account, key_id: keyId, bodies } = row;
      const key = keyId === null ? undefined : at.nameOf('key', account, keyId);
      if (keyId !== null && key === undefined) return [];
      const name = key === undefined ? ACCOUNT : `${KEY}${key}`;
      const isOver = row.until_at !== null && row.until_at.getTime() <= at.ports.nowMs();
      const value =
        isOn(bodies) && !isOver
          ? { bodies, samplePercent: row.sample_percent, keepHours: row.keep_hours, until: row.until_at?.toISOString() }
          : { bodies: isOver ? 'off' : bodies };
      return [{ account, name, id: String(row.id), value }];
    });
  },
  difference: (_at, wanted, had): Difference | undefined => {
    const nothing = { bodies: wanted.name === ACCOUNT ? 'off' : 'inherit' };
    const difference = differenceOf(wanted.value, had?.value ?? nothing);
    return had === undefined && difference !== undefined ? { after: wanted.value } : difference;
  },
  create: async (at, wanted) => {
    for (const one of wanted) await setRule(at, one);
  },
  change: async (at, changes) => {
    for (const { wanted } of changes) await setRule(at, wanted);
  },
  write: (had, into) => {
    for (const { account, name, value } of had) {
      const key = keyName(name);
      const { bodies } = value;
      if (bodies === (key === undefined ? 'off' : 'inherit')) continue;
      const target = key === undefined ? into.account(account) : into.entry('keys', account, key);
      if (target !== undefined) target['capture'] = { ...value };
    }
  },
});
