/** Budget templates of accounts as files declare them. */
import { sql } from 'kysely';
import Type from 'typebox';
import type { StoredTemplate } from '../../money/ledger/budget-templates.ts';
import type { MoneyPorts } from '../api/credit-port.ts';
import { type Applying, declaredKind, differenceOf, entriesOf, hasList, type Wanted } from '../api/declared.ts';
import { AdminProblem } from '../api/problem.ts';
import { BudgetTemplateChange } from './template-contract.ts';
import { readTemplate, showTemplate } from './templates.ts';

const MAX_TEMPLATES = 100;

type At = Applying<MoneyPorts>;
type Row = StoredTemplate & { readonly account: string };

const OF_ENTRY = /^(member|key):(.*)$/s;

/** Files name a member or key by its label, the ledger by its id. */
function inLedger(at: At, account: string, each: string): string {
  const [, kind, label] = OF_ENTRY.exec(each) ?? [];
  const id = kind && at.idOf(kind, account, label ?? '');
  return id === undefined ? each : `${kind}:${id}`;
}

function inFile(at: At, account: string, each: string): string {
  const [, kind, id] = OF_ENTRY.exec(each) ?? [];
  const name = kind && at.nameOf(kind, account, id ?? '');
  return name === undefined ? each : `${kind}:${name}`;
}

/** `tag:<name>`, with or without a value. */
const TAG = /^tag:([^=]+)(=.*)?$/s;

function isKnown(at: At, account: string, each: string): boolean {
  if (each === 'member' || each === 'key' || each === 'account') return true;
  const [, kind = 'tag', name = TAG.exec(each)?.[1]] = OF_ENTRY.exec(each) ?? [];
  return name !== undefined && at.idOf(kind, account, name) !== undefined;
}

const nameOf = ({ each, per }: Pick<BudgetTemplateChange, 'each' | 'per'>): string => `each ${each} per ${per}`;

function setTemplate(at: At, { account, value, path }: Wanted): void {
  const body = value as BudgetTemplateChange;
  const template = readTemplate(
    { ...body, each: inLedger(at, account, body.each) },
    at.actor.kind === 'operator' ? 'operator' : 'member',
  );
  at.inLedger({ do: 'template', accountId: account, template }, path);
  at.note({ accountId: account, action: 'budget.set-template', subject: account, detail: value });
}

export const templateKind = declaredKind<MoneyPorts>({
  kind: 'budget template',
  permission: 'admin',
  schema: {
    account: {
      budgetTemplates: Type.Optional(
        Type.Array(
          Type.Object(
            {
              ...BudgetTemplateChange.properties,
              each: Type.String({
                minLength: 1,
                maxLength: 400,
                description:
                  '`member`, `key` or `tag:<name>`, or one of them: `member:<e-mail or name>`, `key:<name>`, `tag:<name>=<value>`, `account`.',
              }),
            },
            { additionalProperties: false },
          ),
          { maxItems: MAX_TEMPLATES, description: 'One budget for each member, key or value of a tag.' },
        ),
      ),
    },
  },
  *wanted(document, at) {
    for (const { account, entry, path } of entriesOf<BudgetTemplateChange>(document, 'budgetTemplates')) {
      if (!isKnown(at, account, entry.each)) at.report([...path, 'each'], 'is no member, key or tag of the account');
      try {
        const { setBy: _setBy, ...value } = showTemplate(readTemplate(entry, 'operator'));
        yield { account, name: nameOf(entry), value, path };
      } catch (error) {
        if (!(error instanceof AdminProblem)) throw error;
        at.report([...path, error.field ?? 'each'], error.message);
      }
    }
  },
  isListed: (document, had) => hasList(document, had, 'budgetTemplates'),
  read: async (at) => {
    const { rows } = await sql<Row>`
      select account_id as account, each_of as each, span, most as "limit", time_zone as "timeZone",
        week_starts_on as "weekStartsOn", anchor_day as "anchorDay", missing, soft_percents as "softPercent", set_by as "setBy"
      from ledger_templates
      where ${at.accounts === undefined ? sql`true` : sql`account_id = any(${at.accounts})`}
      order by account_id, each_of, span`.execute(at.db);
    return rows.map(({ account, ...row }) => {
      const { setBy: _setBy, ...shown } = showTemplate(row);
      const value = { ...shown, each: inFile(at, account, row.each) };
      const name = nameOf(value);
      return { account, name, id: name, value, row };
    });
  },
  difference: (at, wanted, had) => {
    const difference = differenceOf(wanted.value, had?.value);
    if (difference !== undefined && at.actor.kind !== 'operator' && (had?.row as Row | undefined)?.setBy === 'operator')
      at.report(wanted.path, 'the operator has set this budget; only operators change or remove it');
    return difference;
  },
  create: async (at, wanted) => {
    for (const one of wanted) setTemplate(at, one);
  },
  change: async (at, changes) => {
    for (const { wanted } of changes) setTemplate(at, wanted);
  },
  remove: async (at, had) => {
    for (const { account, row } of had) {
      const { each, span } = row as Row;
      at.inLedger({ do: 'no-template', accountId: account, each, span }, []);
      const detail = { each, per: span };
      at.note({ accountId: account, action: 'budget.remove-template', subject: account, detail });
    }
  },
  write: (had, into) => {
    for (const { account, name, value } of had) into.add('budgetTemplates', account, name, { ...value });
  },
});
