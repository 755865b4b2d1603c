/** One route of the admin API as data, used by the listener, the OpenAPI document and the isolation tests. */
import type { Static, TSchema } from 'typebox';
import type { Vault } from '../../people/secrets/vault.ts';
import type { SortedPage } from '../../store/postgres/sorted-page.ts';
import type { Store } from '../../store/postgres/store.ts';
import type { Actor, Permission } from './actor.ts';
import type { Page, sorting } from './contract.ts';
import { AdminProblem } from './problem.ts';

/** What every slice with rows needs. */
export type DatabasePorts = {
  readonly store: Store;
  /** Notifies this and all other nodes which cache entries to drop. */
  readonly tell: (message: string) => void;
  readonly nowMs: () => number;
};

/** Encrypts what must not be readable at rest. */
export type VaultPort = { readonly vault: () => Vault | undefined };

export type AdminRequest<Ports, Body, Query> = Ports & {
  readonly actor: Actor;
  /** From the path; empty if it names none. */
  readonly accountId: string;
  /** The URL at which members reach the console. */
  readonly consoleOrigin: string;
  /** The actor's IP address. */
  readonly address: string;
  /** The actor has disconnected, or has the whole answer. */
  readonly gone: AbortSignal;
  /** Rejects once the actor may no longer make this request: for answers that last. */
  readonly requireStillPermitted: () => Promise<void>;
  readonly id: string;
  readonly body: Body;
  readonly query: Query;
};

/** A route without its implementation. */
export type RouteShape<B extends TSchema = TSchema, Q extends TSchema = TSchema> = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `{account}` and `{id}` are ids, `{owner}/{name}` is the id of a model. */
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  /** `public`: without a credential. */
  readonly permission: Permission | 'public';
  readonly body?: B;
  readonly query?: Q;
  readonly status?: number;
  readonly answer: TSchema;
  /** Media type of an answer that is not JSON: rows in the form of `answer`, streamed. */
  readonly media?: string;
  /** Default: enough for a few names and lists. */
  readonly maxBodyBytes?: number;
};

type RouteOf<Ports, B extends TSchema, Q extends TSchema> = RouteShape<B, Q> & {
  readonly permission: Permission;
  /** Its ports exist without a database. */
  readonly inMemory?: true;
  readonly run: (asked: AdminRequest<Ports, Static<B>, Static<Q>>) => Promise<unknown>;
};

export type AdminRoute<Ports> = RouteOf<Ports, TSchema, TSchema>;

/** The answer of a route with `media`. Ends when the reader disconnects. */
export type StreamedAnswer = {
  readonly chunks: AsyncIterable<string | Uint8Array>;
  /** Default: that of the route. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

/**
 * Makes routes that get the ports of their slice and no others. Each is type-checked with its own schemas, and called only with
 * input that passed them.
 */
export const routeWith =
  <Ports>() =>
  <B extends TSchema, Q extends TSchema>(of: RouteOf<Ports, B, Q>): AdminRoute<Ports> =>
    of as unknown as AdminRoute<Ports>;

export function requireVault({ vault }: VaultPort): Vault {
  const found = vault();
  if (found === undefined)
    throw new AdminProblem('conflict', 'secrets.keys is not configured, so nothing can be encrypted.');
  return found;
}

const MAX_PAGE = 200;
const DEFAULT_PAGE = 50;

export const pageSize = (limit: string | undefined): number =>
  limit === undefined ? DEFAULT_PAGE : Math.min(MAX_PAGE, Math.max(1, Number(limit)));

type Sorted = Page & { readonly [Name in keyof typeof sorting]?: Static<(typeof sorting)[Name]> };

export const sortedPage = ({ after, limit, sort = 'id', order = 'asc' }: Sorted): SortedPage => ({
  sort: sort === 'createdAt' ? 'created_at' : sort,
  order,
  after,
  limit: pageSize(limit),
});

/** `cursorOf`: from the last row of a page to the first of the next. */
export const pageOf = <Row extends { readonly id: string | bigint }, Item>(
  rows: readonly Row[],
  limit: number,
  show: (row: Row) => Item,
  cursorOf = ({ id }: Row): string => String(id),
): { items: Item[]; next: string | null } => {
  const last = rows.at(-1);
  return { items: rows.map(show), next: last !== undefined && rows.length === limit ? cursorOf(last) : null };
};
