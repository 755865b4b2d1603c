/** Entries of the ledger in the admin API. */
import Type, { type Static } from 'typebox';
import { kind } from '../accounts/contract.ts';
import { closed, column, listOfItems, moment, nullable, Page, time, usd } from '../api/contract.ts';
import { FORMS } from '../api/forms.ts';

export const LedgerEntry = Type.Object(
  {
    sequence: Type.String({ description: 'Sequence number in the account, from 1 without gaps.' }),
    at: moment('Time of the entry.'),
    id: Type.String({ description: 'Id of the charged request, or of the payment.' }),
    kind: Type.Enum(['deposit', 'withdrawal', 'charge', 'refund'], {
      description: '`refund`: an estimate had charged too much.',
    }),
    amountUsd: Type.String({ description: 'Negative: taken from the account.' }),
    balanceUsd: Type.String({ description: 'Balance after this entry.', ...column('Balance', '130px') }),
    requestId: nullable(Type.String({ description: 'The charged request.' })),
    estimated: Type.Boolean({ description: 'Charged by an estimate of the gateway.' }),
    memo: Type.String(),
  },
  { ...closed, $id: 'LedgerEntry' },
);
export const LedgerEntries = listOfItems(LedgerEntry);

export const LedgerSpan = Type.Object(
  { from: time('Written at or after this time.'), until: time('Written before this time (default: now).') },
  closed,
);
export const LedgerPage = Type.Object({ ...Page.properties, ...LedgerSpan.properties }, closed);

export type ShownEntry = Static<typeof LedgerEntry>;

export const Credit = Type.Object(
  {
    kind,
    creditUsd: Type.String({ description: 'Total paid in.' }),
    spentUsd: Type.String({ description: 'Total charged.' }),
    heldUsd: Type.String({ description: 'Held for requests in progress.' }),
    leasedUsd: Type.String({
      description: 'Leased to gateway nodes for requests to come. Not spent; what they do not use is returned.',
    }),
    creditLimitUsd: Type.String({ description: 'Credit limit of a postpaid account.' }),
    overrunUsd: Type.String({
      description: 'The part of `spentUsd` above what was reserved: usage that could not be known before the call.',
    }),
    availableUsd: nullable(Type.String({ description: 'Available for new requests. Null: no limit.' })),
  },
  { ...closed, $id: 'Credit' },
);
export const Deposit = Type.Object(
  {
    usd,
    id: Type.Optional(
      Type.String({ pattern: FORMS.chosenId, description: 'Idempotency key of this payment. Default: generated.' }),
    ),
    memo: Type.Optional(Type.String({ maxLength: 200, description: 'Note stored with the entry.' })),
  },
  closed,
);
export const Budget = Type.Object(
  {
    scope: Type.String({ description: '`account`, `key:<id>` or `member:<id>`.' }),
    name: nullable(Type.String({ description: 'Name of the key or member of its scope.' })),
    span: Type.Enum(['day', 'month', 'total']),
    usd: Type.String({ description: 'Limit in US dollars.' }),
    setBy: Type.Enum(['operator', 'member'], {
      description: 'Members and managing keys of the account change or remove only those that one of them has set.',
    }),
    spentUsd: Type.String({ description: 'Charged in the current day or month, or in total.' }),
    heldUsd: Type.String({ description: 'Held for requests in progress.' }),
  },
  { ...closed, $id: 'Budget' },
);
const budgetName = {
  scope: Type.String({
    pattern: FORMS.budgetScope,
    description: '`account`, `key:<id>` or `member:<id>`.',
  }),
  span: Type.Enum(['day', 'month', 'total'], { description: 'Days and months in UTC.' }),
};
export const BudgetChange = Type.Object({ ...budgetName, usd }, { ...closed, $id: 'BudgetChange' });
export const BudgetName = Type.Object(budgetName, closed);
export type Credit = Static<typeof Credit>;

const orderId = Type.String({ pattern: FORMS.chosenId, description: 'Default: generated.' });
const orderTerms = {
  provider: Type.String({ pattern: FORMS.paymentProvider, description: 'A payment provider of the configuration.' }),
  amountMinor: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Amount to pay, in the smallest unit of the currency.',
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
    createdAt: moment('Creation time.'),
    paidAt: nullable(moment('Time of payment.', column('Paid', '150px'))),
  },
  { ...closed, $id: 'Order' },
);
export type Order = Static<typeof Order>;
