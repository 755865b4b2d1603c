/** Budgets of accounts, groups, members, keys and values of tags as files declare them. */
import Type, { type Static } from 'typebox';
import { formatNanoUsd } from '../../kernel/usd.ts';
import { withBefore } from '../api/change.ts';
import { closed, usd } from '../api/contract.ts';
import type { LedgerStanding, MoneyPorts } from '../api/credit-port.ts';
import {
  type Applying,
  type Declaration,
  type DeclaredPath,
  declaredKind,
  differenceOf,
  type Exporting,
  entriesOf,
  type Had,
  type Wanted,
} from '../api/declared.ts';
import { AdminProblem } from '../api/problem.ts';
import { parseUsd } from '../api/usd.ts';

const SPANS = ['day', 'month', 'total'] as const;
type Span = (typeof SPANS)[number];

const Budgets = Type.Object(
  { day: Type.Optional(usd), month: Type.Optional(usd), total: Type.Optional(usd) },
  { ...closed, description: 'The most that may be spent, in US dollars. Absent: budgets are left as they are.' },
);
type Budgets = Static<typeof Budgets>;
const budgets = Type.Optional(Budgets);

type At = Applying<MoneyPorts>;
type Budgeted = {
  readonly account: string;
  readonly label: string;
  readonly budgets: Budgets;
  readonly path: DeclaredPath;
};

/** How a file names a member: by e-mail if it has one, else by name. */
const labelOf = ({ name, email }: { readonly name: string; readonly email?: string }): string => email ?? name;

/** The scopes of a document that have budgets, as people name them: `account`, `member:ada@acme.example`, `tag:team=red`. */
function* scopesOf(document: Declaration): Generator<Budgeted> {
  for (const [index, account] of (document.accounts ?? []).entries())
    for (const [member, label] of [
      ['budgets', 'account'],
      ['groupBudgets', 'group'],
    ] as const)
      if (account[member] !== undefined)
        yield { account: account.id, label, budgets: account[member] as Budgets, path: ['accounts', index, member] };
  type Entry = { readonly name: string; readonly email?: string; readonly budgets?: Budgets };
  for (const kind of ['member', 'key'] as const)
    for (const { account, entry, path } of entriesOf<Entry>(document, `${kind}s`))
      if (entry.budgets !== undefined)
        yield { account, label: `${kind}:${labelOf(entry)}`, budgets: entry.budgets, path: [...path, 'budgets'] };
  type TagEntry = { readonly key: string; readonly budgets?: Readonly<Record<string, Budgets>> };
  for (const { account, entry, path } of entriesOf<TagEntry>(document, 'tags'))
    for (const [value, own] of Object.entries(entry.budgets ?? {}))
      yield { account, label: `tag:${entry.key}=${value}`, budgets: own, path: [...path, 'budgets', value] };
}

const listed = new WeakMap<Declaration, ReadonlySet<string>>();

function listedScopes(document: Declaration): ReadonlySet<string> {
  const known =
    listed.get(document) ?? new Set([...scopesOf(document)].map(({ account, label }) => `${account} ${label}`));
  listed.set(document, known);
  return known;
}

const OF_ENTRY = /^(member|key):(.*)$/s;

/** The scope of the ledger for a scope as people name it; undefined if the member or key does not exist. */
export function scopeOf(at: At, account: string, label: string): string | undefined {
  const [, kind, name] = OF_ENTRY.exec(label) ?? [];
  if (kind === undefined || name === undefined) return label;
  const id = at.idOf(kind, account, name);
  return id === undefined ? undefined : `${kind}:${id}`;
}

export function labelIn(at: At, account: string, scope: string): string | undefined {
  const [, kind, id] = OF_ENTRY.exec(scope) ?? [];
  if (kind === undefined || id === undefined) return scope;
  const name = at.nameOf(kind, account, id);
  return name === undefined ? undefined : `${kind}:${name}`;
}

type BudgetRow = LedgerStanding['budgets'][number] & { readonly label: string };

function setBudget(at: At, { account, name, value, path }: Wanted, had?: Had): void {
  const [label, span] = partsOf(name);
  const scope = scopeOf(at, account, label) ?? label;
  const nano = parseUsd(String(value['usd']), 'usd');
  const setBy = at.actor.kind === 'operator' ? 'operator' : 'member';
  at.inLedger({ do: 'budget', accountId: account, scope, span, nano, setBy }, path);
  const detail = { scope, span, usd: value['usd'] };
  at.note({
    accountId: account,
    action: 'budget.set',
    subject: account,
    detail: withBefore(detail, had && { ...detail, usd: had.value['usd'] }),
  });
}

const partsOf = (name: string): readonly [string, Span] => {
  const at = name.lastIndexOf(' per ');
  return [name.slice(0, at), name.slice(at + ' per '.length) as Span];
};

function isOperators(at: At, had: Had | undefined): boolean {
  return at.actor.kind === 'manager' && had !== undefined && (had.row as BudgetRow).setBy === 'operator';
}

export const budgetKind = declaredKind<MoneyPorts>({
  kind: 'budget',
  permission: 'admin',
  schema: {
    account: { budgets, groupBudgets: budgets },
    members: { budgets },
    keys: { budgets },
    tags: {
      budgets: Type.Optional(
        Type.Record(Type.String({ pattern: '^[^\\x00-\\x1f\\x7f]{1,100}$' }), Budgets, {
          ...closed,
          description: 'Budgets by value of the tag.',
        }),
      ),
    },
  },
  *wanted(document, at) {
    for (const { account, label, budgets: own, path } of scopesOf(document))
      for (const [span, amount] of Object.entries(own)) {
        const place = [...path, span];
        if (parseUsd(amount, 'usd') < 0n) at.report(place, 'must not be negative');
        yield { account, name: `${label} per ${span}`, value: { usd: amount }, path: place };
      }
  },
  isListed: (document, { account, row }) => {
    const { label } = row as BudgetRow;
    return listedScopes(document).has(`${account} ${label}`) || hasTagBudgets(document, account, label);
  },
  read: async (at) =>
    [...at.ledger.values()].flatMap(({ accountId: account, budgets: own }) =>
      own.flatMap((budget): Had[] => {
        const label = labelIn(at, account, budget.scope);
        if (label === undefined) return [];
        const name = `${label} per ${budget.span}`;
        const value = { usd: formatNanoUsd(budget.mostNano) };
        return [{ account, name, id: name, value, row: { ...budget, label } satisfies BudgetRow }];
      }),
    ),
  difference: (at, wanted, had) => {
    const difference = differenceOf(wanted.value, had?.value);
    if (difference !== undefined && isOperators(at, had))
      at.report(wanted.path, 'the operator has set this budget; only operators change or remove it');
    return difference;
  },
  create: async (at, wanted) => {
    for (const one of wanted) setBudget(at, one);
  },
  change: async (at, changes) => {
    for (const { wanted, had } of changes) setBudget(at, wanted, had);
  },
  remove: async (at, had) => {
    for (const one of had) {
      if (isOperators(at, one))
        throw new AdminProblem('forbidden', 'The operator has set this budget; only operators change or remove it.');
      const { scope, span } = one.row as BudgetRow;
      at.inLedger({ do: 'budget', accountId: one.account, scope, span, nano: null, setBy: 'operator' }, []);
      at.note({ accountId: one.account, action: 'budget.remove', subject: one.account, detail: { scope, span } });
    }
  },
  write: (had, into) => {
    for (const one of had) {
      const { label, span } = one.row as BudgetRow;
      const target = targetOf(into, one.account, label);
      if (target !== undefined) target[span] = one.value['usd'];
    }
  },
});

/** A tag whose `budgets` are listed has no others. */
function hasTagBudgets(document: Declaration, account: string, label: string): boolean {
  const [, key] = /^tag:([^=]*)=/.exec(label) ?? [];
  if (key === undefined) return false;
  type TagEntry = { readonly key: string; readonly budgets?: object };
  return [...entriesOf<TagEntry>(document, 'tags')].some(
    ({ account: own, entry }) => own === account && entry.key === key && entry.budgets !== undefined,
  );
}

const memberIn = (row: Record<string, unknown>, name: string): Record<string, unknown> => {
  const own = (row[name] ?? {}) as Record<string, unknown>;
  row[name] = own;
  return own;
};

function targetOf(into: Exporting, account: string, label: string): Record<string, unknown> | undefined {
  if (label === 'account') return memberIn(into.account(account), 'budgets');
  if (label === 'group') return memberIn(into.account(account), 'groupBudgets');
  const [, kind, name = ''] = OF_ENTRY.exec(label) ?? [];
  if (kind !== undefined) {
    const entry = into.entry(`${kind}s`, account, name);
    return entry && memberIn(entry, 'budgets');
  }
  const [, key = '', value = ''] = /^tag:([^=]*)=(.*)$/s.exec(label) ?? [];
  const tag = into.entry('tags', account, key);
  return tag && memberIn(memberIn(tag, 'budgets'), value);
}
