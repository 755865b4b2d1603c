/** Query parameters for lists of accounts, members and audit entries. */
import Type from 'typebox';
import { ROLES } from '../../people/accounts/rights.ts';
import type { SortedPage } from '../../store/postgres/sorted-page.ts';
import { closed, Page } from './contract.ts';
import { FORMS } from './forms.ts';
import { pageSize } from './route.ts';

const word = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }));
const time = (description: string) => Type.Optional(Type.String({ pattern: FORMS.isoTime, description }));
const sorting = {
  sort: Type.Optional(Type.Enum(['id', 'name', 'createdAt'], { description: 'Default: `id`.' })),
  order: Type.Optional(Type.Enum(['asc', 'desc'], { description: 'Default: `asc`.' })),
};

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
export const MemberSearch = Type.Object(
  {
    ...Page.properties,
    q: word('Part of the name or the mail address.'),
    role: Type.Optional(Type.Enum([...ROLES])),
    ...sorting,
  },
  closed,
);
const audit = {
  ...Page.properties,
  q: word('Part of the subject, the action or the detail.'),
  actor: word('`operator`, `key:` and the id of a key, or `member:` and the id of a member.'),
  action: word('E.g. `key.revoke`; may end in `*`, as in `key.*`.'),
  subject: word('The id of what was changed.'),
  from: time('At or after this time.'),
  until: time('Before this time.'),
};
export const AuditSearch = Type.Object({ account: word('Only of this account.'), ...audit }, closed);
export const AccountAuditSearch = Type.Object(audit, closed);

type Sorted = {
  readonly after?: string | undefined;
  readonly limit?: string | undefined;
  readonly sort?: 'id' | 'name' | 'createdAt' | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
};
export const sortedPage = ({ after, limit, sort = 'id', order = 'asc' }: Sorted): SortedPage => ({
  sort: sort === 'createdAt' ? 'created_at' : sort,
  order,
  after,
  limit: pageSize(limit),
});
