/** Entries of the ledger in the admin API. */
import Type, { type Static } from 'typebox';
import { kind } from '../accounts/contract.ts';
import { closed, listOfItems, moment, nullable, Page, usd } from '../api/contract.ts';
import { FORMS } from '../api/forms.ts';

export const LedgerEntry = Type.Object(
  {
    sequence: Type.String({ description: 'Its number in the account, from 1 on without gaps.' }),
    at: moment('When it was written.'),
    id: Type.String({ description: 'Of the request it charges for, or of the payment.' }),
    kind: Type.Enum(['deposit', 'withdrawal', 'charge', 'refund'], {
      description: '`refund`: an estimate had charged too much.',
    }),
    amountUsd: Type.String({ description: 'Below zero: taken from the account.' }),
    balanceUsd: Type.String({ description: 'What was paid in less what was spent, after it.' }),
    requestId: nullable(Type.String({ description: 'Of a charge or refund.' })),
    estimated: Type.Boolean({ description: 'Charged by our own count.' }),
    memo: Type.String(),
  },
  { ...closed, $id: 'LedgerEntry' },
);
export const LedgerEntries = listOfItems(LedgerEntry);

const time = (description: string) => Type.Optional(Type.String({ pattern: FORMS.isoTime, description }));
export const LedgerSpan = Type.Object(
  { from: time('Written at or after this time.'), until: time('Written before this time (default: now).') },
  closed,
);
export const LedgerPage = Type.Object({ ...Page.properties, ...LedgerSpan.properties }, closed);

export type ShownEntry = Static<typeof LedgerEntry>;

export const Credit = Type.Object(
  {
    kind,
    creditUsd: Type.String({ description: 'All that was paid in.' }),
    spentUsd: Type.String({ description: 'Charged so far.' }),
    heldUsd: Type.String({ description: 'Held for requests in progress.' }),
    leasedUsd: Type.String({
      description: 'Leased to gateway nodes for requests to come. Not spent; what they do not use is returned.',
    }),
    creditLimitUsd: Type.String({ description: 'How far a postpaid account may go below zero.' }),
    overdraftUsd: Type.String({ description: 'The older name of `creditLimitUsd`. Goes with the next release.' }),
    overrunUsd: Type.String({
      description: 'The part of `spentUsd` above what was reserved: usage that could not be known before the call.',
    }),
    availableUsd: nullable(Type.String({ description: 'What is left for holds and new leases. Null: no limit.' })),
  },
  { ...closed, $id: 'Credit' },
);
export const Deposit = Type.Object(
  {
    usd,
    id: Type.Optional(
      Type.String({ pattern: FORMS.chosenId, description: 'Names this payment; made up when absent.' }),
    ),
    memo: Type.Optional(Type.String({ maxLength: 200, description: 'Kept with the entry.' })),
  },
  closed,
);
export const Budget = Type.Object(
  {
    scope: Type.String({ description: '`account`, `key:<id>` or `member:<id>`.' }),
    span: Type.Enum(['day', 'month', 'total']),
    usd: Type.String({ description: 'The most that may be spent.' }),
    setBy: Type.Enum(['operator', 'member'], {
      description: 'Members and managing keys of the account change or remove only those that one of them has set.',
    }),
    spentUsd: Type.String({ description: 'Charged in the day or month that runs, or in all.' }),
    heldUsd: Type.String({ description: 'Set aside of it.' }),
  },
  { ...closed, $id: 'Budget' },
);
const budgetName = {
  scope: Type.String({
    pattern: FORMS.budgetScope,
    description: '`account`, `key:<id>` or `member:<id>`.',
  }),
  span: Type.Enum(['day', 'month', 'total'], { description: 'Days and months of UTC.' }),
};
export const BudgetChange = Type.Object({ ...budgetName, usd }, { ...closed, $id: 'BudgetChange' });
export const BudgetName = Type.Object(budgetName, closed);
export type Credit = Static<typeof Credit>;

const orderId = Type.String({ pattern: FORMS.chosenId, description: 'Made up when absent.' });
const orderTerms = {
  provider: Type.String({ pattern: FORMS.paymentProvider, description: 'A payment provider of the configuration.' }),
  amountMinor: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'What is to be paid, in the smallest unit of the currency.',
  }),
  currency: Type.String({ pattern: FORMS.currency, description: 'ISO 4217 in lower case.' }),
  creditUsd: usd,
};
export const NewOrder = Type.Object({ ...orderTerms, id: Type.Optional(orderId) }, closed);
export const Order = Type.Object(
  {
    id: Type.String(),
    accountId: Type.String(),
    ...orderTerms,
    state: Type.Enum(['open', 'paid']),
    createdAt: moment('When it was made.'),
    paidAt: nullable(moment('When it was paid.')),
  },
  { ...closed, $id: 'Order' },
);
export type Order = Static<typeof Order>;
