// What a running gateway has of one account.

import { type AdminOptions, AdminRefusal, callAdmin, isRow, listAdmin, part, type Row } from '../admin-client.ts';
import type { Terminal } from '../terminal.ts';

export interface CurrentMember {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly role: string;
}

export interface CurrentKey {
  readonly id: string;
  readonly name: string;
  readonly memberId: string | null;
  /** The key that created this one; null if the operator or a member did. */
  readonly parentId: string | null;
  readonly prefix: string;
  readonly rights: Row;
}

interface CurrentBudget {
  readonly scope: string;
  readonly span: string;
  readonly usd: string;
}

export interface CurrentAccount {
  readonly name: string;
  readonly kind: string;
  readonly status: string;
  readonly creditLimitUsd: string;
  readonly members: readonly CurrentMember[];
  /** Not revoked, and not created with another key than `ownKey`. */
  readonly keys: readonly CurrentKey[];
  /** The key that this run authenticates with, if it is one of this account. */
  readonly ownKey: CurrentKey | undefined;
  readonly budgets: readonly CurrentBudget[];
}

/** The admin API of one gateway. */
export interface AdminCalls {
  call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: Row): Promise<Row>;
  list(path: string): Promise<readonly Row[]>;
}

export const adminCalls = (terminal: Terminal, options: AdminOptions): AdminCalls => ({
  call: (method, path, body) => callAdmin(terminal, options, method, path, body),
  list: (path) => listAdmin(terminal, options, path),
});

const NOT_FOUND = 404;

const textOf = (row: Row, name: string): string => String(row[name]);
const textOrNull = (row: Row, name: string): string | null => (row[name] === null ? null : String(row[name]));

const memberOf = (row: Row): CurrentMember => ({
  id: textOf(row, 'id'),
  name: textOf(row, 'name'),
  email: textOrNull(row, 'email'),
  role: textOf(row, 'role'),
});

const keyOf = (row: Row): CurrentKey => ({
  id: textOf(row, 'id'),
  name: textOf(row, 'name'),
  memberId: textOrNull(row, 'memberId'),
  parentId: textOrNull(row, 'parentId'),
  prefix: textOf(row, 'prefix'),
  rights: isRow(row['rights']) ? row['rights'] : {},
});

const budgetOf = (row: Row): CurrentBudget => ({
  scope: textOf(row, 'scope'),
  span: textOf(row, 'span'),
  usd: textOf(row, 'usd'),
});

const KEY_ACTOR = 'key:';

/** The id of the key that this run authenticates with; undefined for the operator's secret. */
export const readOwnKeyId = async (api: AdminCalls): Promise<string | undefined> => {
  const actor = textOf(await api.call('GET', '/me'), 'actor');
  return actor.startsWith(KEY_ACTOR) ? actor.slice(KEY_ACTOR.length) : undefined;
};

/** Undefined where there is no such account. */
export const readAccount = async (
  api: AdminCalls,
  id: string,
  ownKeyId: string | undefined,
): Promise<CurrentAccount | undefined> => {
  const path = `/accounts/${part(id)}`;
  const account = await api.call('GET', path).catch((error: unknown) => {
    if (error instanceof AdminRefusal && error.status === NOT_FOUND) return undefined;
    throw error;
  });
  if (account === undefined) return undefined;
  const [credit, members, keyRows, budgets] = await Promise.all([
    api.call('GET', `${path}/credits`),
    api.list(`${path}/members`),
    api.list(`${path}/keys`),
    api.list(`${path}/budgets`),
  ]);
  const keys = keyRows.filter((row) => row['revokedAt'] === null).map(keyOf);
  return {
    name: textOf(account, 'name'),
    kind: textOf(account, 'kind'),
    status: textOf(account, 'status'),
    creditLimitUsd: textOf(credit, 'creditLimitUsd'),
    members: members.map(memberOf),
    // Keys that other keys created belong to those who hold them: `apply` neither changes nor prunes them.
    keys: keys.filter(({ parentId }) => parentId === null || parentId === ownKeyId),
    ownKey: keys.find((key) => key.id === ownKeyId),
    budgets: budgets.map(budgetOf),
  };
};
