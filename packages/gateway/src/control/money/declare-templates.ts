/** Budget templates of accounts as files declare them. */
import Type from 'typebox';
import { type StoredTemplate, templatesOf } from '../../money/ledger/budget-templates.ts';
import type { MoneyPorts } from '../api/credit-port.ts';
import { type Applying, declaredKind, differenceOf, entriesOf, hasList, type Wanted } from '../api/declared.ts';
import { AdminProblem } from '../api/problem.ts';
import { labelIn, scopeOf } from './declare.ts';
import { BudgetTemplateChange } from './template-contract.ts';
import { readTemplate, showTemplate } from './templates.ts';

const MAX_TEMPLATES = 100;

type At = Applying<MoneyPorts>;

/** `tag:<name>`, with or without a value. */
const TAG = /^tag:([^=]+)(=.*)?$/s;

function isKnown(at: At, account: string, each: string): boolean {
  const [, tag] = TAG.exec(each) ?? [];
  if (tag !== undefined) return at.idOf('tag', account, tag) !== undefined;
  return (
    /^(member|key|account)$/.test(each) || (/^(member|key):/.test(each) && scopeOf(at, account, each) !== undefined)
  );
}

const nameOf = ({ each, per }: Pick<BudgetTemplateChange, 'each' | 'per'>): string => `each ${each} per ${per}`;

function setTemplate(at: At, { account, value, path }: Wanted): void {
  const body = value as BudgetTemplateChange;
  const template = readTemplate(
    { ...body, each: scopeOf(at, account, body.each) ?? body.each },
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
    const rows = await templatesOf(at.db, at.accounts);
    return rows.map(({ account, ...row }) => {
      const { setBy: _setBy, ...shown } = showTemplate(row);
      const value = { ...shown, each: labelIn(at, account, row.each) ?? row.each };
      const name = nameOf(value);
      return { account, name, id: name, value, row };
    });
  },
  difference: (at, wanted, had) => {
    const difference = differenceOf(wanted.value, had?.value);
    if (
      difference !== undefined &&
      at.actor.kind !== 'operator' &&
      (had?.row as StoredTemplate | undefined)?.setBy === 'operator'
    )
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
      const { each, span } = row as StoredTemplate;
      at.inLedger({ do: 'no-template', accountId: account, each, span }, []);
      const detail = { each, per: span };
      at.note({ accountId: account, action: 'budget.remove-template', subject: account, detail });
    }
  },
  write: (had, into) => {
    for (const { account, name, value } of had) into.add('budgetTemplates', account, name, { ...value });
  },
});
