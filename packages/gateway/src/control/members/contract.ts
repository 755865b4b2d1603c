/** What ended with a person, in the admin API. */
import Type, { type Static } from 'typebox';
import { closed } from '../api/contract.ts';

const EndedKey = Type.Object({ id: Type.String(), name: Type.String() }, closed);
/** The members after the first three are those of `ENDS` in `ends.ts`. */
export const EndedMember = Type.Object(
  {
    accountId: Type.String(),
    memberId: Type.String(),
    name: Type.String({ description: 'Name of the member.' }),
    keys: Type.Array(EndedKey, { description: 'Keys that were revoked by this.' }),
    sessions: Type.Integer({ description: 'Sessions of the console that were ended by this.' }),
    signInCodes: Type.Integer({ description: 'Sign-in links that no longer work.' }),
    grants: Type.Array(Type.String(), { description: 'Programs that were signed in, by the id of the grant.' }),
  },
  { ...closed, $id: 'EndedMember' },
);
export type EndedMember = Static<typeof EndedMember>;

export const GonePerson = Type.Object(
  {
    person: Type.String({
      minLength: 1,
      maxLength: 320,
      description:
        'Mail address, in any case of letters, or id of a member. By mail address: its members in all accounts.',
    }),
  },
  closed,
);
