/** Keys in the admin API: schemas that check, type and document at once. */

import Type, { type Static } from 'typebox';
import { rateRule } from '../../money/limits/rates-schema.ts';
import { KEY_ENDPOINTS, KEY_PROTOCOLS } from '../../people/accounts/rights.ts';
import { closed, column, listOf, moment, name, nullable, Page, role } from '../api/contract.ts';
import { FORMS } from '../api/forms.ts';

const short = Type.String({ minLength: 1, maxLength: 200 });
export const KeyRights = Type.Object(
  {
    models: listOf(short, 'Models it may use; an entry may end in `*`. Absent: all.'),
    providers: listOf(Type.String({ minLength: 1, maxLength: 64 }), 'Providers it may use. Absent: all.'),
    protocols: listOf(Type.Enum([...KEY_PROTOCOLS]), 'Protocols it may use. Absent: all.'),
    endpoints: listOf(Type.Enum([...KEY_ENDPOINTS]), 'Endpoints it may call. Absent: all.'),
    addresses: listOf(
      Type.String({ minLength: 2, maxLength: 64 }),
      'Addresses or ranges it may be used from. Absent: everywhere.',
    ),
    expiresAt: Type.Optional(Type.String({ pattern: FORMS.isoTime, description: 'Expiry time.' })),
    strict: Type.Optional(
      Type.Boolean({ description: 'Reject requests whose parameters would be dropped or changed.' }),
    ),
    tolerates: listOf(short, 'Losses that do not fail a strict request.'),
    rateLimits: Type.Optional(
      Type.Object(rateRule.properties, {
        ...closed,
        description: 'Rate limits of this key; omitted members follow `rateLimits` of the configuration.',
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
    parentId: nullable(Type.String({ description: 'The key it was created with.' })),
    name,
    prefix: Type.String({ description: 'First characters of the secret.' }),
    rights: KeyRights,
    revokedAt: nullable(moment('Revocation time.')),
    previousUntil: nullable(moment('Expiry of the previous secret after a rotation.')),
    createdAt: moment('Creation time.'),
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
    prefix: Type.String({ description: 'First characters of the secret. Empty: the configuration has only its hash.' }),
    createdAt: nullable(moment('Creation time. Null: configured in the file.')),
    source: Type.Enum(['database', 'file'], { description: 'Keys from the file are changed in the file.' }),
    state: keyState,
    lastUsedAt: nullable(moment('The hour of its last recorded request, in UTC.')),
    spent30dUsd: Type.String({
      description: 'Charged in the last 30 days, by the hour.',
      ...column('Spent in 30 d', '100px'),
    }),
  },
  { ...closed, $id: 'FoundKey' },
);
export type FoundKey = Static<typeof FoundKey>;
export const KeyWithSecret = Type.Object(
  { key: Key, secret: Type.String({ description: 'Returned only here.' }) },
  { ...closed, $id: 'KeyWithSecret' },
);
export const Rotation = Type.Object(
  {
    graceSeconds: Type.Integer({
      minimum: 0,
      maximum: 30 * 86_400,
      default: 0,
      description: 'How long the old secret stays valid, in seconds.',
    }),
  },
  closed,
);
export const Revocation = Type.Object(
  { children: Type.Boolean({ default: true, description: 'Also revoke keys created with it.' }) },
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
        description: 'Part of the name, or beginning of the id or the secret.',
      }),
    ),
    state: Type.Optional(keyState),
    account: Type.Optional(
      Type.String({ maxLength: 100, description: 'Only keys of this account. Default: all visible accounts.' }),
    ),
    member: Type.Optional(Type.String({ maxLength: 100, description: 'Only keys of this member.' })),
    model: Type.Optional(Type.String({ maxLength: 200, description: 'Only keys allowed to use this model.' })),
    expiringBefore: Type.Optional(
      Type.String({ pattern: FORMS.isoTime, description: 'Only keys that expire before this time.' }),
    ),
  },
  closed,
);

export type Key = Static<typeof Key>;
