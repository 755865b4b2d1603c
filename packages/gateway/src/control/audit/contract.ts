/** The audit log in the admin API: schemas that check, type and document at once. */
import Type, { type Static } from 'typebox';
import { closed, moment, nullable, Page, time, word } from '../api/contract.ts';

export const AuditEntry = Type.Object(
  {
    id: Type.String(),
    at: moment('Time of the change.'),
    accountId: nullable(Type.String()),
    actor: Type.String({
      description:
        '`operator`, `key:` or `member:` and an id, or `link`: the person who opened a link that hands a key over.',
    }),
    action: Type.String(),
    subject: Type.String(),
    detail: Type.Record(Type.String(), Type.Unknown(), {
      description: 'What was set. Its member `before`: the same members as they were; absent where there was nothing.',
    }),
  },
  { ...closed, $id: 'AuditEntry' },
);
export const AuditVerdict = Type.Object(
  {
    intact: Type.Boolean(),
    broken: Type.Array(Type.String({ description: 'Ids of entries that were tampered with.' })),
  },
  { ...closed, $id: 'AuditVerdict' },
);

export type AuditEntry = Static<typeof AuditEntry>;

const audit = {
  ...Page.properties,
  q: word('Part of the subject, the action or the detail.'),
  actor: word('`operator`, `key:` and the id of a key, or `member:` and the id of a member.'),
  action: word('E.g. `key.revoke`; may end in `*`, as in `key.*`.'),
  subject: word('The id of what was changed.'),
  from: time('At or after this time.'),
  until: time('Before this time.'),
};
export const AuditSearch = Type.Object({ account: word('Only this account.'), ...audit }, closed);
export const AccountAuditSearch = Type.Object(audit, closed);
