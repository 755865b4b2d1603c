/** Accounts with their figures in the admin API: schemas that check, type and document at once. */
import Type, { type Static } from 'typebox';
import { closed, nullable, sorting } from '../api/contract.ts';
import { Account, AccountSearch } from './contract.ts';

const count = (description: string) => Type.Integer({ description });
export const AccountFigures = Type.Object(
  {
    ...Account.properties,
    spent30dUsd: Type.String({ description: 'Charged in the last 30 days, by the hour.' }),
    availableUsd: nullable(Type.String({ description: 'Available for new requests. Null: no limit.' })),
    budgets: count('Number of budgets.'),
    budgetsNearEnd: count('Number of budgets of which 80 % or more are spent or held.'),
    members: count('Number of members.'),
    keys: count('Number of keys that work.'),
  },
  { ...closed, $id: 'AccountFigures' },
);
export const FiguresSearch = Type.Object(
  {
    ...AccountSearch.properties,
    sort: Type.Optional(
      Type.Enum([...sorting.sort.enum, 'spend'], {
        description: '`spend`: the highest spend of the last 30 days first, then the others by id.',
      }),
    ),
  },
  closed,
);
export type AccountFigures = Static<typeof AccountFigures>;
export type FiguresSearch = Static<typeof FiguresSearch>;
