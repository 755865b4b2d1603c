/** Schemas for signing in at the admin listener. */

import Type, { type Static } from 'typebox';
import { ROLES } from '../../people/accounts/rights.ts';
import { closed, moment, nullable } from '../api/contract.ts';
import { KeyRights } from '../keys/contract.ts';

const presented = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 512, description }));

export const SignIn = Type.Object(
  {
    secret: presented("The operator's secret, or a key that manages its account."),
    code: presented('A one-time code, as `trivium operator sign-in` and `trivium members sign-in` make it.'),
  },
  { ...closed, minProperties: 1, maxProperties: 1 },
);

export const Me = Type.Object(
  {
    actor: Type.String({ description: '`operator`, `key:` and the id of a key, or `member:` and the id of a member.' }),
    role: Type.Enum(['operator', ...ROLES]),
    accountId: nullable(
      Type.String({ description: 'Account of the identity. Null: an operator, who sees all accounts.' }),
    ),
    memberId: nullable(Type.String()),
    name: nullable(Type.String({ description: 'Name of the member.' })),
    gateway: Type.Object(
      {
        url: Type.String({ description: 'Origin at which callers reach the gateway.' }),
        isConfigured: Type.Boolean({
          description: '`listen.publicUrl` names it. Otherwise it is the address of the listener, as far as known.',
        }),
      },
      closed,
    ),
    openAlerts: Type.Integer({
      description:
        'Alerts of the account, or for operators of all, that are neither resolved nor acknowledged; at most 100.',
    }),
    csrf: nullable(
      Type.String({
        description: 'Value for the header `x-trivium-csrf` of changes made with the session. Null: no session.',
      }),
    ),
    keys: nullable(
      Type.Object(
        {
          rights: KeyRights,
          maxKeys: nullable(Type.Integer({ description: 'Keys of its member at once. Null: no limit.' })),
        },
        {
          ...closed,
          description:
            'The most that keys may have that it creates; what a new key leaves out is as here. Null: no limit.',
        },
      ),
    ),
    session: nullable(
      Type.Object(
        {
          method: Type.Enum(['secret', 'key', 'code', 'oidc'], { description: 'Sign-in method.' }),
          createdAt: moment('Time of sign-in.'),
          endsAt: moment('Latest end of the session; without use it ends after 12 hours.'),
        },
        closed,
      ),
    ),
  },
  { ...closed, $id: 'Me' },
);
export type Me = Static<typeof Me>;

export const SignedOut = Type.Object({ signedOut: Type.Boolean() }, { ...closed, $id: 'SignedOut' });

export const SignInCode = Type.Object(
  {
    code: Type.String({ description: 'Signs in once. Returned only here.' }),
    url: Type.String({ description: 'Sign-in page with the code in the fragment, which browsers do not send.' }),
    expiresAt: moment('Expiry time.'),
  },
  { ...closed, $id: 'SignInCode' },
);
