/** Members in the admin API: schemas that check, type and document at once. */

import Type, { type Static } from 'typebox';
import { ROLES } from '../../people/accounts/rights.ts';
import { closed, column, moment, name, nullable, Page, role, sorting, word } from '../api/contract.ts';

const email = Type.String({ minLength: 3, maxLength: 320 });
const isServiceAccount = Type.Boolean({
  description: 'A program, not a person: its keys do not depend on sign-ins.',
});
export const Member = Type.Object(
  {
    id: Type.String(),
    name,
    email: nullable(email),
    role,
    isServiceAccount,
    createdAt: moment('Creation time.', column('Added', '150px')),
    lastProofAt: nullable(
      moment('Last sign-in, to the hour. Null: none so far.', {
        ...column({ en: 'Last sign-in', de: 'Letzte Anmeldung', 'zh-Hans': '上次登录' }, '150px'),
      }),
    ),
    deactivatedAt: nullable(
      moment('Time since which nothing acts as the member, and the member cannot sign in. Null: active.', {
        ...column({ en: 'Out since', de: 'Ausgeschieden', 'zh-Hans': '停用时间' }, '150px'),
      }),
    ),
  },
  { ...closed, $id: 'Member' },
);
export const NewMember = Type.Object(
  { name, email: Type.Optional(email), role, isServiceAccount: Type.Optional(isServiceAccount) },
  closed,
);
export const MemberChange = Type.Object(
  { name: Type.Optional(name), role: Type.Optional(role), isServiceAccount: Type.Optional(isServiceAccount) },
  { ...closed, minProperties: 1 },
);

export const FoundMember = Type.Object(
  { ...Member.properties, accountId: Type.String() },
  { ...closed, $id: 'FoundMember' },
);
export const MemberQuery = Type.Object(
  { ...Page.properties, q: word('Part of the name or the mail address.') },
  closed,
);

export type FoundMember = Static<typeof FoundMember>;
export type Member = Static<typeof Member>;

export const MemberSearch = Type.Object(
  {
    ...Page.properties,
    q: word('Part of the name or the mail address.'),
    role: Type.Optional(Type.Enum([...ROLES])),
    ...sorting,
  },
  closed,
);
