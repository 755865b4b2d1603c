/**
 * The ledger database as a node uses it: each batch of commands is one transaction, answered in order or not at all.
 */
import type { Command, Result } from './core/commands.ts';

export type Terms = {
  readonly unlimited: boolean;
  /** The scopes of the account that have budgets; `group` if it or an ancestor has a budget for all accounts below. */
  readonly budgeted: ReadonlySet<string>;
  /** The kinds of scopes with a template: `member`, `key`, `tag:<name>`. Absent: none. */
  readonly each?: ReadonlySet<string>;
};

/** What shows whether a database still has everything it has confirmed. */
export type Remembered = {
  /**
   * WAL timeline of the server. When it changes, a standby was promoted, and may lack the latest transactions of its
   * predecessor. Empty where a server does not report it.
   */
  readonly timeline: string;
  /** Number of the epoch's last heartbeat that the database has; undefined if it does not know the epoch. */
  readonly beats: number | undefined;
};

/** Those of a request's scopes that a budget or a template bounds. */
export function boundedScopes(scopes: readonly string[], { budgeted, each }: Terms): readonly string[] {
  return each === undefined
    ? scopes.filter((scope) => budgeted.has(scope))
    : scopes.filter((scope) => budgeted.has(scope) || each.has(kindOfScope(scope)));
}

/** `member` of `member:m`, `tag:team` of `tag:team=red`. */
const kindOfScope = (scope: string): string => scope.slice(0, scope.indexOf(scope.startsWith('tag:') ? '=' : ':'));

export interface LedgerDatabase {
  /** Rejects when no answer came: whether the commands were applied is then unknown. */
  apply(commands: readonly Command[]): Promise<readonly Result[]>;
  /** True if retrying cannot help: something in the commands themselves was refused. */
  isRefusal(error: unknown): boolean;
  /** Stores a refused command in a separate table, once. */
  park(command: Command, problem: string): Promise<void>;
  standing(epoch: string): Promise<Remembered>;
  /** Opens the account in the ledger database, as the account directory defines it. */
  openAccount(account: string): Promise<void>;
  /** Terms of these accounts, in order: whether each is unmetered, and which scopes have budgets. Opens unknown ones. */
  termsOf(accounts: readonly string[]): Promise<readonly Terms[]>;
}
