/** Keys handed over by a link, in the admin API: schemas that check, type and document at once. */
import Type, { type Static } from 'typebox';
import { closed, listOfItems, moment, nullable, Page, word } from '../api/contract.ts';
import { NewKey } from '../keys/contract.ts';

const DAY_SECONDS = 86_400;

export const KeyLink = Type.Object(
  {
    id: Type.String(),
    accountId: Type.String(),
    keyId: Type.String(),
    keyName: Type.String({ description: 'Name of the key.' }),
    state: Type.Enum(['waiting', 'opened', 'withdrawn', 'expired'], {
      description: 'Only a link that is `waiting` opens. `withdrawn`: also where the key was revoked.',
    }),
    createdBy: Type.String({ description: 'The actor that made it, as in the audit log.' }),
    createdAt: moment('Creation time.'),
    expiresAt: moment('From then on it does not open.'),
    openedAt: nullable(moment('Time at which it was opened.')),
  },
  { ...closed, $id: 'KeyLink' },
);
export const NewKeyLink = Type.Object(
  {
    ...NewKey.properties,
    validSeconds: Type.Integer({
      minimum: 300,
      maximum: 7 * DAY_SECONDS,
      default: DAY_SECONDS,
      description: 'How long the link opens, in seconds.',
    }),
  },
  closed,
);
export const MadeKeyLink = Type.Object(
  {
    ...KeyLink.properties,
    url: Type.String({ description: 'Opens once, without a sign-in. Returned only here.' }),
  },
  { ...closed, $id: 'MadeKeyLink' },
);
export const KeyLinkSearch = Type.Object(
  { key: word('Only those of this key.'), limit: Page.properties.limit },
  closed,
);
export const KeyLinks = listOfItems(KeyLink);

export const KeyLinkCode = Type.Object(
  { code: Type.String({ minLength: 1, maxLength: 200, description: 'The part of the link after `#code=`.' }) },
  closed,
);
export const HandedKey = Type.Object(
  {
    keyName: Type.String({ description: 'Name of the key.' }),
    accountName: Type.String({ description: 'Name of its account.' }),
    secret: Type.String({ description: 'Returned only here, and erased.' }),
    gatewayUrl: Type.String({ description: 'Where callers reach the gateway.' }),
  },
  { ...closed, $id: 'HandedKey' },
);

export type KeyLink = Static<typeof KeyLink>;
