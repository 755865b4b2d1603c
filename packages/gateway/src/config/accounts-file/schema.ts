/** The schema of `trivium apply` files: the admin API's own schemas, nested by account. */
import Type, { type Static } from 'typebox';
import { AccountChange, NewAccount } from '../../control/accounts/contract.ts';
import { NewMember } from '../../control/accounts/member-contract.ts';
import { closed } from '../../control/api/contract.ts';
import { FORMS } from '../../control/api/forms.ts';
import { NewKey } from '../../control/keys/contract.ts';

const MAX_ACCOUNTS = 10_000;
const MAX_ENTRIES = 10_000;

const usd = Type.String({ pattern: FORMS.usd });
const budgets = Type.Optional(
  Type.Object(
    { day: Type.Optional(usd), month: Type.Optional(usd), total: Type.Optional(usd) },
    { ...closed, description: 'The most that may be spent, in US dollars. Absent: budgets are left as they are.' },
  ),
);

const { name, email, role } = NewMember.properties;
const FileMember = Type.Object({ name, email, role, budgets }, closed);

const FileKey = Type.Object(
  {
    name: NewKey.properties.name,
    member: Type.Optional(Type.String({ minLength: 1, maxLength: 320, description: 'E-mail or name of its member.' })),
    rights: NewKey.properties.rights,
    budgets,
  },
  closed,
);

const FileAccount = Type.Object(
  {
    id: Type.String({ pattern: FORMS.accountId }),
    name: Type.Optional(NewAccount.properties.name),
    kind: NewAccount.properties.kind,
    status: AccountChange.properties.status,
    creditLimitUsd: NewAccount.properties.creditLimitUsd,
    budgets,
    members: Type.Optional(Type.Array(FileMember, { maxItems: MAX_ENTRIES })),
    keys: Type.Optional(Type.Array(FileKey, { maxItems: MAX_ENTRIES })),
  },
  closed,
);

export const AccountsFile = Type.Object({ accounts: Type.Array(FileAccount, { maxItems: MAX_ACCOUNTS }) }, closed);

export type FileAccount = Static<typeof FileAccount>;
export type FileMember = Static<typeof FileMember>;
export type FileKey = Static<typeof FileKey>;
export type FileBudgets = NonNullable<FileAccount['budgets']>;
