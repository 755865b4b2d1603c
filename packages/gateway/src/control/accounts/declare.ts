/** Accounts and their tags as files declare them. */
import { sql } from 'kysely';
import Type, { type Static } from 'typebox';
import { formatNanoUsd } from '../../kernel/usd.ts';
import { withBefore } from '../api/change.ts';
import type { MoneyPorts } from '../api/credit-port.ts';
import {
  type Applying,
  type Changed,
  type DeclaredValue,
  declaredKind,
  differenceOf,
  entriesOf,
  given,
  hasList,
  type Wanted,
} from '../api/declared.ts';
import { FORMS } from '../api/forms.ts';
import { parseUsd } from '../api/usd.ts';
import { AccountChange, NewAccount } from './contract.ts';
import { type AccountRow, updateAccount } from './rows.ts';
import { declareTag, listTags, MAX_TAGS, withdrawTag } from './tag-rows.ts';
import { NewTag } from './tags-contract.ts';

const accountMembers = {
  id: Type.String({ pattern: FORMS.accountId }),
  name: Type.Optional(NewAccount.properties.name),
  kind: NewAccount.properties.kind,
  status: AccountChange.properties.status,
  creditLimitUsd: NewAccount.properties.creditLimitUsd,
  parent: Type.Optional(
    Type.Union([Type.String({ pattern: FORMS.accountId }), Type.Null()], {
      description: 'The account above it. Null: none.',
    }),
  ),
  rateLimits: NewAccount.properties.rateLimits,
};
const AccountEntry = Type.Object(accountMembers);
type AccountEntry = Static<typeof AccountEntry>;
type At = Applying<MoneyPorts>;

/** Values per statement: a statement has 65,535 parameters at most. */
const ROWS_AT_ONCE = 1000;

const entryOf = ({ value }: Wanted): AccountEntry => value as AccountEntry;

function checkEntry(at: At, wanted: Wanted): void {
  const { kind, creditLimitUsd, parent } = entryOf(wanted);
  const limit = [...wanted.path, 'creditLimitUsd'];
  if ((kind === 'postpaid') !== (creditLimitUsd !== undefined))
    at.report(limit, 'is required for postpaid accounts, and for no others');
  else if (creditLimitUsd !== undefined && parseUsd(creditLimitUsd, 'creditLimitUsd') <= 0n)
    at.report(limit, 'must be more than zero for a postpaid account, such as "100.00"');
  if (parent != null && !at.hasAccount(parent))
    at.report([...wanted.path, 'parent'], `account "${parent}" is neither in the files nor in the gateway`);
}

/** Terms in the ledger; moves to another parent first leave the old one, so that two accounts can change places. */
function changeLedger(at: At, wanted: Wanted, before: DeclaredValue | undefined): void {
  const { kind, creditLimitUsd, parent } = entryOf(wanted);
  const accountId = wanted.name;
  const isNew = before === undefined;
  const limitNano = creditLimitUsd === undefined ? 0n : parseUsd(creditLimitUsd, 'creditLimitUsd');
  const isOther =
    isNew || before['kind'] !== kind || (kind === 'postpaid' && before['creditLimitUsd'] !== formatNanoUsd(limitNano));
  if (isOther) {
    at.inLedger({ do: 'terms', accountId, kind, limitNano }, wanted.path);
    if (!isNew || limitNano > 0n)
      at.note({
        accountId,
        action: 'account.terms',
        subject: accountId,
        detail: { kind, creditLimitUsd: formatNanoUsd(limitNano) },
      });
  }
  if (parent === undefined || parent === (before?.['parent'] ?? null)) return;
  at.inLedger({ do: 'parent', accountId, parentId: parent }, [...wanted.path, 'parent']);
  at.note({ accountId, action: 'account.parent', subject: accountId, detail: { parentId: parent } });
}

const rowOf = (wanted: Wanted) => {
  const { creditLimitUsd: _limit, parent: _parent, rateLimits, ...members } = entryOf(wanted);
  return { ...members, ...(rateLimits !== undefined && { rateLimits }) };
};

export const accountKind = declaredKind<MoneyPorts>({
  kind: 'account',
  permission: 'operator',
  schema: { account: accountMembers },
  *wanted({ accounts = [] }, at) {
    for (const [index, account] of accounts.entries()) {
      const { id, ...members } = account as unknown as AccountEntry;
      const names = Object.keys(accountMembers).filter((name) => name !== 'id');
      const value = given(Object.fromEntries(names.map((name) => [name, members[name as keyof typeof members]])));
      const wanted = { account: '', name: id, value, path: ['accounts', index] };
      checkEntry(at, wanted);
      yield wanted;
    }
  },
  isListed: () => false,
  read: async ({ db, accounts, ledger }) => {
    const { rows } = await sql<AccountRow>`
      select * from accounts where ${accounts === undefined ? sql`true` : sql`id = any(${accounts})`} order by id`.execute(
      db,
    );
    return rows.map(({ id, name, kind, status, rate_limits: rateLimits }) => {
      const { limitNano = 0n, parentId: parent = null } = ledger.get(id) ?? {};
      const creditLimitUsd = kind === 'postpaid' ? formatNanoUsd(limitNano) : undefined;
      return { account: '', name: id, id, value: given({ name, kind, status, creditLimitUsd, parent, rateLimits }) };
    });
  },
  create: async (at, wanted) => {
    const rows = wanted.map((one) => {
      const { name = one.name, kind, status = 'active', rateLimits } = rowOf(one);
      return { id: one.name, name, kind, status, rate_limits: rateLimits == null ? null : JSON.stringify(rateLimits) };
    });
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
      await at.db
        .insertInto('accounts')
        .values(rows.slice(from, from + ROWS_AT_ONCE))
        .execute();
    for (const one of wanted) {
      at.made('account', one, one.name);
      at.note({ accountId: one.name, action: 'account.create', subject: one.name, detail: one.value });
      changeLedger(at, one, undefined);
    }
  },
  change: async (at, changes: readonly Changed[]) => {
    const moving = changes.filter(
      ({ wanted, had }) =>
        had.value['parent'] !== null &&
        wanted.value['parent'] !== undefined &&
        wanted.value['parent'] !== had.value['parent'],
    );
    for (const { wanted } of moving) at.inLedger({ do: 'parent', accountId: wanted.name, parentId: null }, wanted.path);
    for (const { wanted, had } of changes) {
      const { kind: _kind, ...members } = differenceOf(rowOf(wanted), had.value)?.after ?? {};
      const kind = entryOf(wanted).kind;
      await updateAccount(at.db, wanted.name, { ...members, kind } as Parameters<typeof updateAccount>[2]);
      at.note(
        {
          accountId: wanted.name,
          action: 'account.change',
          subject: wanted.name,
          detail: withBefore(wanted.value, had.value),
        },
        true,
      );
      changeLedger(at, wanted, had.value);
    }
  },
  write: (had, into) => {
    for (const { name: id, value } of had) {
      const { parent, rateLimits, ...members } = value;
      const shown = given({
        ...members,
        parent: parent ?? undefined,
        rateLimits: rateLimits ?? undefined,
      });
      Object.assign(into.account(id), shown);
    }
  },
});

type TagEntry = Static<typeof NewTag>;

export const tagKind = declaredKind<MoneyPorts>({
  kind: 'tag',
  permission: 'admin',
  schema: { tags: NewTag.properties },
  *wanted(document, at) {
    const counts = new Map<string, number>();
    for (const { account, entry, path } of entriesOf<TagEntry>(document, 'tags')) {
      const count = (counts.get(account) ?? 0) + 1;
      counts.set(account, count);
      if (count === MAX_TAGS + 1) at.report(path, `an account has ${MAX_TAGS} tags at most`);
      yield { account, name: entry.key, value: { required: entry.required ?? false }, path };
    }
  },
  isListed: (document, had) => hasList(document, had, 'tags'),
  read: async ({ db, accounts }) => {
    const rows = await listTags(db);
    const isMeant = accounts && new Set(accounts);
    return rows
      .filter(({ account_id }) => isMeant?.has(account_id) ?? true)
      .map(({ account_id: account, key, required }) => ({ account, name: key, id: key, value: { required } }));
  },
  create: async (at, wanted) => {
    for (const one of wanted) await setTag(at, one);
  },
  change: async (at, changes) => {
    for (const { wanted } of changes) await setTag(at, wanted);
  },
  remove: async (at, had) => {
    for (const { account, name } of had) {
      await withdrawTag(at.db, account, name);
      at.note({ accountId: account, action: 'tag.withdraw', subject: name, detail: {} });
    }
  },
  write: (had, into) => {
    for (const { account, name, value } of had)
      into.add('tags', account, name, { key: name, ...(value['required'] === true && { required: true }) });
  },
});

async function setTag(at: At, { account, name: key, value, path }: Wanted): Promise<void> {
  const required = value['required'] === true;
  const declared = await declareTag(at.db, account, { key, required });
  if (declared === undefined) at.report(path, `the account has declared ${MAX_TAGS} tags already`);
  at.note({ accountId: account, action: 'tag.declare', subject: key, detail: { key, required } });
}

/** Of accounts that no document names, so that one can be the parent of another. */
export async function accountIds(at: Pick<At, 'db'>, ids: readonly string[]): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`select id from accounts where id = any(${ids})`.execute(at.db);
  return rows.map(({ id }) => id);
}
