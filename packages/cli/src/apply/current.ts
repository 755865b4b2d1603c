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
  /** Set if a caller created this key with another key: `apply` does not manage it. */
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
  /** Not revoked, and not created with another key. */
  readonly keys: readonly CurrentKey[];
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

/** Undefined where there is no such account. */
export const readAccount = async (api: AdminCalls, id: string): Promise<CurrentAccount | undefined> => {
  const path = `/accounts/${part(id)}`;
  const account = await api.call('GET', path).catch((error: unknown) => {
    if (error instanceof AdminRefusal && error.status === NOT_FOUND) return undefined;
    throw error;
  });
  if (account === undefined) return undefined;
  const [credit, members, keys, budgets] = await Promise.all([
    api.call('GET', `${path}/credits`),
    api.list(`${path}/members`),
    api.list(`${path}/keys`),
    api.list(`${path}/budgets`),
  ]);
  return {
    name: textOf(account, 'name'),
    kind: textOf(account, 'kind'),
    status: textOf(account, 'status'),
    creditLimitUsd: textOf(credit, 'creditLimitUsd'),
    members: members.map(memberOf),
    keys: keys.filter((row) => row['revokedAt'] === null && row['parentId'] === null).map(keyOf),
    budgets: budgets.map(budgetOf),
  };
};
