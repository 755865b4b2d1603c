/** One run over all kinds: what is there, what was applied before, and what is gathered for the end of the transaction. */
import type { Db } from '../../store/postgres/store.ts';
import { accountIds } from '../accounts/declare.ts';
import { type Actor, actorName } from '../api/actor.ts';
import { appendAudits, type Noted } from '../api/change.ts';
import type { LedgerChange, LedgerStanding } from '../api/credit-port.ts';
import {
  type Applying,
  type Declaration,
  type DeclaredPath,
  type DeclaredValue,
  type Had,
  identityOf,
  type Wanted,
} from '../api/declared.ts';
import { AdminProblem } from '../api/problem.ts';
import type { DeclaredPorts } from './kinds.ts';
import { type KeptThing, listKept } from './rows.ts';

type Problem = { readonly path: DeclaredPath; readonly message: string };

/** As they stand in the document. */
const inOrder = ({ path: one }: Problem, { path: other }: Problem): number => {
  const at = one.findIndex((step, index) => step !== other[index]);
  const [a, b] = [one[at], other[at]];
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return at < 0 ? -1 : String(a) < String(b ?? '') ? -1 : 1;
};

/** Everything that is wrong with a document, each with its path in it. */
class DeclaredProblems extends AdminProblem {
  readonly problems: readonly Problem[];

  constructor(found: readonly Problem[]) {
    const problems = [...found].sort(inOrder);
    const [first] = problems;
    super('invalid', first?.message ?? 'does not fit', first?.path.join('.'));
    this.problems = problems;
  }

  override get body(): object {
    const { code, message, field, problems } = this;
    return { error: { code, message, ...(field !== undefined && { field }), problems } };
  }
}

export type GivenSecret = { readonly kind: string; readonly name: string; readonly secret: string };

export const fullName = ({ account, name }: Pick<Wanted, 'account' | 'name'>): string =>
  account === '' ? name : `${account}/${name}`;

const keyOf = (kind: string, account: string, name: string): string => `${kind}\n${account}\n${name}`;

const LEDGER_PROBLEMS = {
  'does-not-fit': 'the account has spent or holds more than it could with these terms; pay in first',
  cycle: 'is the account itself or one below it',
  depth: 'would make a tree of more than four levels',
  unknown: 'is no account',
  operators: 'the operator has set this budget, or one for each of its kind; only operators change or replace it',
} as const;

export class Run implements Applying<DeclaredPorts> {
  readonly ports: DeclaredPorts;
  readonly db: Db;
  readonly actor: Actor;
  readonly accounts: readonly string[] | undefined;
  readonly ledger: ReadonlyMap<string, LedgerStanding>;
  readonly problems: Problem[] = [];
  readonly secrets: GivenSecret[] = [];
  readonly changedAccounts = new Set<string>();
  readonly later = new Set<() => Promise<void>>();
  readonly #known: ReadonlySet<string>;
  readonly #kept: ReadonlyMap<string, DeclaredValue>;
  readonly #ids = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #audit: Noted[] = [];
  readonly #ledgerChanges: { readonly change: LedgerChange; readonly path: DeclaredPath }[] = [];

  private constructor(
    { ports, db, actor, accounts }: Pick<Run, 'ports' | 'db' | 'actor' | 'accounts'>,
    ledger: readonly LedgerStanding[],
    kept: readonly KeptThing[],
    known: readonly string[],
  ) {
    this.ports = ports;
    this.db = db;
    this.actor = actor;
    this.accounts = accounts;
    this.ledger = new Map(ledger.map((standing) => [standing.accountId, standing]));
    this.#kept = new Map(kept.map(({ kind, account, name, value }) => [keyOf(kind, account, name), value]));
    this.#known = new Set(known);
  }

  /** Without a document: over all accounts. */
  static async begin(ports: DeclaredPorts, db: Db, actor: Actor, document?: Declaration): Promise<Run> {
    const accounts = document && (document.accounts ?? []).map(({ id }) => id);
    const parents = (document?.accounts ?? []).flatMap(({ parent }) => (typeof parent === 'string' ? [parent] : []));
    const [standings, kept] = [await ports.money.standings(db, accounts), await listKept(db)];
    const known = [...(accounts ?? []), ...(await accountIds({ db }, parents))];
    return new Run({ ports, db, actor, accounts }, standings, kept, known);
  }

  /** What the document names can be named by other things of it, too. */
  register(kind: string, { account, name, aliases = [] }: Had | Wanted, id: string): void {
    for (const alias of [name, ...aliases]) {
      const key = keyOf(kind, account, alias);
      if (!this.#ids.has(key)) this.#ids.set(key, id);
    }
    if (id !== '') this.#names.set(keyOf(kind, account, id), name);
  }

  idOf(kind: string, account: string, name: string): string | undefined {
    return this.#ids.get(keyOf(kind, account, name));
  }

  nameOf(kind: string, account: string, id: string): string | undefined {
    return this.#names.get(keyOf(kind, account, id));
  }

  made(kind: string, { account, name, aliases = [] }: Wanted, id: string): void {
    for (const alias of [name, ...aliases]) this.#ids.set(keyOf(kind, account, alias), id);
  }

  kept(kind: string, account: string, identity: string): DeclaredValue | undefined {
    return this.#kept.get(keyOf(kind, account, identity));
  }

  isKept(kind: string, had: Had): boolean {
    return [identityOf(had), ...(had.aliases ?? [])].some((name) => this.kept(kind, had.account, name) !== undefined);
  }

  hasAccount(id: string): boolean {
    return this.#known.has(id);
  }

  report(path: DeclaredPath, message: string): void {
    this.problems.push({ path, message });
  }

  requireNoProblem(): void {
    if (this.problems.length > 0) throw new DeclaredProblems(this.problems);
  }

  note(entry: Omit<Noted, 'actor'>, isCached = false): void {
    this.#audit.push({ ...entry, actor: actorName(this.actor) });
    if (isCached && entry.accountId !== null) this.changedAccounts.add(entry.accountId);
  }

  inLedger(change: LedgerChange, path: DeclaredPath): void {
    this.#ledgerChanges.push({ change, path });
  }

  giveSecret(kind: string, thing: Wanted, secret: string): void {
    this.secrets.push({ kind, name: fullName(thing), secret });
  }

  afterwards(work: () => Promise<void>): void {
    this.later.add(work);
  }

  /** The ledger's accounts and the chain of the audit log stay locked until the transaction ends: so they come last. */
  async finish(): Promise<void> {
    if (this.#ledgerChanges.length > 0) {
      const refused = await this.ports.money.changeAll(
        this.db,
        this.#ledgerChanges.map(({ change }) => change),
        this.actor.kind === 'operator' ? 'operator' : 'member',
      );
      if (refused !== undefined) this.report(this.#ledgerChanges[refused.at]?.path ?? [], LEDGER_PROBLEMS[refused.why]);
    }
    this.requireNoProblem();
    await appendAudits(this.db, this.#audit);
  }
}
