/** The ledger database as a node reaches it: batches of commands, each one transaction, answered in order or not at all. */
import type { Command, Result } from './core/commands.ts';

export type Terms = {
  readonly unlimited: boolean;
  /** Which of its scopes have budgets; `group` where it or an account above it has one for all below. */
  readonly budgeted: ReadonlySet<string>;
};

export interface LedgerDatabase {
  /** Rejects when no answer came: whether it was done is then unknown. */
  apply(commands: readonly Command[]): Promise<readonly Result[]>;
  /** True where sending the same again cannot help: something in the commands themselves was refused. */
  isRefusal(error: unknown): boolean;
  /** Keeps a refused command beside the ledger database, once. */
  park(command: Command, problem: string): Promise<void>;
  /** Of the server that serves the ledger database: another one has taken over when it changes, and may lack the latest the first was told. */
  timeline(): Promise<string>;
  /** Opens the account in the ledger database, on the terms it has in the directory of accounts. */
  openAccount(account: string): Promise<void>;
  /** What it may spend, as far as a node must know. */
  termsOf(account: string): Promise<Terms>;
}
