/** Accounts in the admin API: schemas that check, type and document at once. */
import Type, { type Static } from 'typebox';
import { rateRule } from '../../money/limits/rates-schema.ts';
import { closed, moment, name, nullable, Page, sorting, word } from '../api/contract.ts';
import { FORMS } from '../api/forms.ts';

export const kind = Type.Enum(['prepaid', 'postpaid', 'unlimited'], {
  description:
    '`prepaid`: spends what was paid in. `postpaid`: up to a credit limit, billed later. `unlimited`: recorded only.',
});
const status = Type.Enum(['active', 'suspended'], { description: 'Keys of a suspended account are refused.' });
const creditLimitUsd = Type.Optional(
  Type.String({
    pattern: FORMS.usd,
    description: 'Credit limit in US dollars. Required for `postpaid`, not allowed otherwise.',
  }),
);
const accountRates = nullable(
  Type.Object(rateRule.properties, {
    ...closed,
    description:
      'Rate limits for all database keys of the account together; overrides `rateLimits` of the configuration. Null: those of the configuration.',
  }),
);
export const Account = Type.Object(
  {
    id: Type.String(),
    name,
    kind,
    status,
    parentId: nullable(Type.String({ description: 'The account above it.' })),
    rateLimits: accountRates,
    createdAt: moment('Creation time.'),
  },
  { ...closed, $id: 'Account' },
);
export const NewAccount = Type.Object(
  {
    id: Type.Optional(Type.String({ pattern: FORMS.accountId, description: 'Default: generated.' })),
    name,
    kind,
    creditLimitUsd,
    rateLimits: Type.Optional(accountRates),
  },
  closed,
);
export const AccountChange = Type.Object(
  {
    name: Type.Optional(name),
    kind: Type.Optional(kind),
    status: Type.Optional(status),
    creditLimitUsd,
    rateLimits: Type.Optional(accountRates),
  },
  { ...closed, minProperties: 1 },
);

export type Account = Static<typeof Account>;

export const AccountSearch = Type.Object(
  {
    ...Page.properties,
    q: word('Part of the id or the name.'),
    kind: Type.Optional(Type.Enum(['prepaid', 'postpaid', 'unlimited'])),
    status: Type.Optional(Type.Enum(['active', 'suspended'])),
    ...sorting,
  },
  closed,
);
