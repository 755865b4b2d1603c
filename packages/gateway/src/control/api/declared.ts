/**
 * What a slice says of a kind of thing that files declare: its members in a file, how all of them are read, compared, made, changed
 * and removed. `control/declared` has the list of kinds and does the rest.
 */
import { isDeepStrictEqual } from 'node:util';
import Type, { type TProperties } from 'typebox';
import type { Db } from '../../store/postgres/store.ts';
import type { Actor } from './actor.ts';
import { closed } from './contract.ts';
import type { LedgerChange, LedgerStanding } from './credit-port.ts';
import { parseUsd } from './usd.ts';

export type DeclaredValue = Readonly<Record<string, unknown>>;
export type DeclaredPath = readonly (string | number)[];

/** An account of a document, and a document: checked against the schema that the kinds make together. */
export type DeclaredAccount = DeclaredValue & { readonly id: string };
export type Declaration = DeclaredValue & { readonly accounts?: readonly DeclaredAccount[] };

type Thing = {
  /** Empty: it belongs to no account. */
  readonly account: string;
  /** As people read it, within its account. */
  readonly name: string;
  /** What makes it the same thing in file and gateway. Default: its name. */
  readonly identity?: string;
  /** What is compared, shown and kept of it; never a secret. */
  readonly value: DeclaredValue;
};

export type Wanted = Thing & {
  readonly path: DeclaredPath;
  /** Further names under which other things of the document refer to it. */
  readonly aliases?: readonly string[];
  /** Resolved values of references, by member. Neither shown nor kept. */
  readonly secrets?: Readonly<Record<string, string>>;
};

export type Had = Thing & {
  readonly id: string;
  /** Further names under which a file may mean it, if no other thing has them. */
  readonly aliases?: readonly string[];
  /** What its kind needs to change it. */
  readonly row?: unknown;
};

export type Changed = { readonly wanted: Wanted; readonly had: Had };

/** What differs, for people. `before` is absent for a new thing. */
export type Difference = { readonly before?: DeclaredValue; readonly after: DeclaredValue };

/** A value that a file gives as `env:NAME` or `file:/path`: the reference is kept, the value is not. */
export type SecretReference = { readonly from: string; readonly value?: string };

type Noted = {
  readonly accountId: string | null;
  readonly action: string;
  readonly subject: string;
  readonly detail: DeclaredValue;
};

/** One run of `apply` or `export`: everything happens in its transaction. */
export type Applying<Ports> = {
  readonly ports: Ports;
  readonly db: Db;
  readonly actor: Actor;
  /** Undefined: all of them. */
  readonly accounts: readonly string[] | undefined;
  /** The ledger of these accounts. */
  readonly ledger: ReadonlyMap<string, LedgerStanding>;
  /** The id of a thing that is there, or that this run has made. */
  idOf(kind: string, account: string, name: string): string | undefined;
  /** The name of a thing that is there. */
  nameOf(kind: string, account: string, id: string): string | undefined;
  made(kind: string, wanted: Wanted, id: string): void;
  /** What an apply kept of a thing. */
  kept(kind: string, account: string, identity: string): DeclaredValue | undefined;
  /** Whether the document, or the gateway, has this account. */
  hasAccount(id: string): boolean;
  /** A mistake of the document: nothing is changed. */
  report(path: DeclaredPath, message: string): void;
  /** Nodes drop what they cached of the account, after the transaction. */
  note(entry: Noted, isCached?: boolean): void;
  /** Done after everything else, all at once: the accounts stay locked until the end. */
  inLedger(change: LedgerChange, path: DeclaredPath): void;
  giveSecret(kind: string, thing: Thing, secret: string): void;
  /** After the transaction. */
  afterwards(work: () => Promise<void>): void;
};

/** Where an export is written to. */
export type Exporting = {
  readonly top: Record<string, unknown>;
  account(id: string): Record<string, unknown>;
  /** An entry of a list of an account that its own kind has written before. */
  entry(list: string, account: string, name: string): Record<string, unknown> | undefined;
  add(list: string, account: string, name: string, entry: Record<string, unknown>): void;
};

export type DeclaredKind<Ports> = {
  /** Its name in plans: `key`. */
  readonly kind: string;
  /** Who may change it: operators, or also those who manage the account as `admin`. */
  readonly permission: 'operator' | 'admin';
  /** Its members in a file: at the top, of an account, or of an entry of the account's lists `members`, `keys` and `tags`. */
  readonly schema: Partial<Record<'top' | 'account' | 'members' | 'keys' | 'tags', TProperties>>;
  readonly wanted: (document: Declaration, at: Applying<Ports>) => Iterable<Wanted>;
  /** Whether the document has the list that this thing would be in: such a list is complete. */
  readonly isListed: (document: Declaration, had: Had) => boolean;
  readonly read: (at: Applying<Ports>) => Promise<readonly Had[]>;
  /** Default: what the members of the wanted value differ in. */
  readonly difference?: (at: Applying<Ports>, wanted: Wanted, had: Had | undefined) => Difference | undefined;
  readonly create: (at: Applying<Ports>, wanted: readonly Wanted[]) => Promise<void>;
  readonly change: (at: Applying<Ports>, changes: readonly Changed[]) => Promise<void>;
  /** Absent: it is never removed. */
  readonly remove?: (at: Applying<Ports>, had: readonly Had[]) => Promise<void>;
  readonly write: (had: readonly Had[], into: Exporting, at: Applying<Ports>) => void;
  /** New ones have a secret that is given out once. */
  readonly hasSecret?: (wanted: Wanted) => boolean;
};

/** Described by its slice with the ports it needs; the list of kinds has those of all. */
export const declaredKind = <Ports>(of: DeclaredKind<Ports>): DeclaredKind<Ports> => of;

export const identityOf = ({ identity, name }: Thing): string => identity ?? name;

/** Only the members that are given. */
export const given = (members: DeclaredValue): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

const isUsd = (name: string): boolean => name === 'usd' || name.endsWith('Usd');

const isSame = (name: string, one: unknown, other: unknown): boolean =>
  isUsd(name) && typeof one === 'string' && typeof other === 'string'
    ? parseUsd(one, name) === parseUsd(other, name)
    : isDeepStrictEqual(one ?? null, other ?? null);

/** The members of `wanted` that `had` has not, or has otherwise. Members that `wanted` leaves out stay. */
export const differenceOf = (wanted: DeclaredValue, had: DeclaredValue | undefined): Difference | undefined => {
  if (had === undefined) return { after: wanted };
  const names = Object.keys(wanted).filter((name) => !isSame(name, wanted[name], had[name]));
  if (names.length === 0) return undefined;
  const pick = (of: DeclaredValue): DeclaredValue => Object.fromEntries(names.map((name) => [name, of[name] ?? null]));
  return { before: pick(had), after: pick(wanted) };
};

/** The entries of a list of each account, with their paths. */
export function* entriesOf<Entry>(
  { accounts = [] }: Declaration,
  list: string,
): Generator<{ readonly account: string; readonly entry: Entry; readonly path: DeclaredPath }> {
  for (const [index, account] of accounts.entries())
    for (const [at, entry] of ((account[list] ?? []) as readonly Entry[]).entries())
      yield { account: account.id, entry, path: ['accounts', index, list, at] };
}

const byId = new WeakMap<Declaration, ReadonlyMap<string, DeclaredAccount>>();

const accountIn = (document: Declaration, id: string): DeclaredAccount | undefined => {
  const known = byId.get(document) ?? new Map((document.accounts ?? []).map((account) => [account.id, account]));
  byId.set(document, known);
  return known.get(id);
};

/** Whether the account of a thing has this list in the document. */
export const hasList = (document: Declaration, { account }: Pick<Had, 'account'>, list: string): boolean =>
  accountIn(document, account)?.[list] !== undefined;

/** A value of a file that may be a reference: the reference for people, and what it stands for. */
export const textOf = (value: string | SecretReference): { readonly shown: string; readonly text: string } =>
  typeof value === 'string' ? { shown: value, text: value } : { shown: value.from, text: value.value ?? '' };

/** A kept text in the form of the API. */
export const referenceOr = (text: unknown): unknown => (/^(env|file):/.test(String(text)) ? { from: text } : text);

/** References are resolved where the file is: `value` goes to the gateway with the document, and is not in exports. */
export const secretReference = (description: string) =>
  Type.Object(
    {
      from: Type.String({ pattern: '^(env|file):.{1,400}$', description: '`env:NAME` or `file:/path`.' }),
      value: Type.Optional(
        Type.String({ minLength: 1, maxLength: 4096, description: 'What it stands for. Never returned.' }),
      ),
    },
    { ...closed, description },
  );
