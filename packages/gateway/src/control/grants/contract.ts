/** Signed-in apps at the admin API: programs in which people have signed in. */

import Type, { type Static } from 'typebox';
import { closed, column, moment, nullable, Page } from '../api/contract.ts';

const CLIENTS = ['claude-code', 'trivium-cli', 'app'] as const;

export const SignedInApp = Type.Object(
  {
    id: Type.String({ description: 'Calls of the program are recorded with it in place of a key.' }),
    accountId: Type.String(),
    memberId: Type.String(),
    memberName: Type.String({ description: 'Name of the member, as at the last sign-in or renewal.' }),
    client: Type.Enum([...CLIENTS], { description: 'Kind of the program.' }),
    label: Type.String({ description: 'What the program is called. Apps choose it themselves.' }),
    email: nullable(Type.String()),
    groups: Type.Array(Type.String(), { description: 'Groups of the person at the identity provider.' }),
    scope: Type.String({ description: 'What its tokens are good for: `calls`.' }),
    capUsd: nullable(
      Type.String({
        description: 'What the person let it spend. The budget `key:<id>` counts it. Null: no limit of its own.',
      }),
    ),
    createdAt: moment(
      'Time of sign-in.',
      column({ en: 'Signed in', de: 'Angemeldet', 'zh-Hans': '登录时间' }, '150px'),
    ),
    provenAt: moment('When the identity provider last confirmed the person.'),
    lastUsedAt: nullable(moment('Last call, to the minute.')),
    endsAt: nullable(moment('Latest end. Null: while the identity provider confirms the person.')),
    endedAt: nullable(moment('Null: signed in.')),
    endedWhy: nullable(Type.String({ description: 'What ended it.' })),
  },
  { ...closed, $id: 'SignedInApp' },
);
export type SignedInApp = Static<typeof SignedInApp>;

export const GrantSearch = Type.Object(
  {
    ...Page.properties,
    account: Type.Optional(Type.String({ maxLength: 100, description: 'Only of this account. Default: all visible.' })),
    member: Type.Optional(Type.String({ maxLength: 100, description: 'Only of this member.' })),
    client: Type.Optional(Type.Enum([...CLIENTS], { description: 'Only programs of this kind.' })),
    state: Type.Optional(Type.Enum(['active', 'ended'], { description: 'Default: both.' })),
  },
  closed,
);

export const EndedGrant = Type.Object(
  { ended: Type.Boolean({ description: 'False: it had ended before.' }) },
  { ...closed, $id: 'EndedGrant' },
);
