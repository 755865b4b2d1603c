/** Keys in the admin API: schemas that check, type and document at once. */

import Type, { type Static } from 'typebox';
import { rateRule } from '../../money/limits/rates-schema.ts';
import { KEY_ENDPOINTS, KEY_PROTOCOLS } from '../../people/accounts/rights.ts';
import { closed, listOf, moment, name, nullable, Page, role } from '../api/contract.ts';
import { FORMS } from '../api/forms.ts';

const short = Type.String({ minLength: 1, maxLength: 200 });
const KeyRights = Type.Object(
  {
    models: listOf(short, 'Models it may use; an entry may end in `*`. Absent: all.'),
    providers: listOf(Type.String({ minLength: 1, maxLength: 64 }), 'Hosts it may reach. Absent: all.'),
    protocols: listOf(Type.Enum([...KEY_PROTOCOLS]), 'Protocols it may speak. Absent: all.'),
    endpoints: listOf(Type.Enum([...KEY_ENDPOINTS]), 'What it may call. Absent: all.'),
    addresses: listOf(
      Type.String({ minLength: 2, maxLength: 64 }),
      'Addresses or ranges it may be used from. Absent: everywhere.',
    ),
    expiresAt: Type.Optional(Type.String({ pattern: FORMS.isoTime, description: 'When it stops working.' })),
    strict: Type.Optional(Type.Boolean({ description: 'Refuse what cannot be carried out to the letter.' })),
    tolerates: listOf(short, 'Losses that do not fail a strict request.'),
    rateLimits: Type.Optional(
      Type.Object(rateRule.properties, {
        ...closed,
        description:
          'Limits of its own; what is left out is as `rateLimits` of the configuration has it for every key.',
      }),
    ),
    manages: Type.Optional(role),
  },
  { ...closed, $id: 'KeyRights' },
);
export const Key = Type.Object(
  {
    id: Type.String(),
    accountId: Type.String(),
    memberId: nullable(Type.String()),
    parentId: nullable(Type.String({ description: 'The key it was made with.' })),
    name,
    prefix: Type.String({ description: 'How the secret starts.' }),
    rights: KeyRights,
    createdAt: moment('When it was made.'),
    revokedAt: nullable(moment('When it was revoked.')),
    previousUntil: nullable(moment('Until when the secret before the last rotation is taken.')),
  },
  { ...closed, $id: 'Key' },
);
export const NewKey = Type.Object(
  {
    name,
    memberId: Type.Optional(Type.String({ maxLength: 100, description: 'The member it belongs to.' })),
    rights: Type.Optional(KeyRights),
  },
  closed,
);
export const KeyChange = Type.Object(
  { name: Type.Optional(name), rights: Type.Optional(KeyRights) },
  { ...closed, minProperties: 1 },
);
const keyState = Type.Enum(['active', 'expired', 'revoked']);
export const FoundKey = Type.Object(
  {
    ...Key.properties,
    prefix: Type.String({ description: 'How the secret starts. Empty: the configuration has only its hash.' }),
    createdAt: nullable(moment('When it was made. Null: the configuration names it.')),
    source: Type.Enum(['database', 'file'], { description: 'Keys of the configuration are changed there.' }),
    state: keyState,
    lastUsedAt: nullable(moment('The hour of its last recorded request, in UTC.')),
    spent30dUsd: Type.String({ description: 'Charged in the last 30 days, by the hour.' }),
  },
  { ...closed, $id: 'FoundKey' },
);
export type FoundKey = Static<typeof FoundKey>;
export const KeyWithSecret = Type.Object(
  { key: Key, secret: Type.String({ description: 'Shown this once.' }) },
  { ...closed, $id: 'KeyWithSecret' },
);
export const Rotation = Type.Object(
  {
    graceSeconds: Type.Integer({
      minimum: 0,
      maximum: 30 * 86_400,
      default: 0,
      description: 'How long the old secret is taken beside the new one.',
    }),
  },
  closed,
);
export const Revocation = Type.Object(
  { children: Type.Boolean({ default: true, description: 'Revoke the keys that were made with it as well.' }) },
  closed,
);
export const Revoked = Type.Object({ revoked: Type.Array(Type.String()) }, { ...closed, $id: 'Revoked' });

export const KeySearch = Type.Object(
  {
    ...Page.properties,
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Part of the name, or how the id or the secret starts.',
      }),
    ),
    state: Type.Optional(keyState),
    account: Type.Optional(
      Type.String({ maxLength: 100, description: 'Of this account. Absent: of all the caller may see.' }),
    ),
    member: Type.Optional(Type.String({ maxLength: 100, description: 'Of this member.' })),
    model: Type.Optional(Type.String({ maxLength: 200, description: 'That may use this model.' })),
    expiringBefore: Type.Optional(
      Type.String({ pattern: FORMS.isoTime, description: 'That expire before this time.' }),
    ),
  },
  closed,
);

export type Key = Static<typeof Key>;
