/** Entries of the ledger in the admin API. */
import Type, { type Static } from 'typebox';
import { closed, listOfItems, moment, nullable, Page } from '../api/contract.ts';
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
