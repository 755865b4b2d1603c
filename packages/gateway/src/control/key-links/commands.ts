/** `trivium keys hand-over`, `keys links` and `keys withdraw`: keys whose secret is handed over by a link that opens once. */

import type { Static } from 'typebox';
import { type AdminCommand, commandFor } from '../api/command.ts';
import { RIGHTS } from '../keys/commands.ts';
import type { KeyLink, KeyLinkSearch, MadeKeyLink, NewKeyLink } from './contract.ts';

export const keyLinkCommands: readonly AdminCommand[] = [
  commandFor<Static<typeof MadeKeyLink>, Static<typeof NewKeyLink>>()({
    command: 'keys hand-over <account>',
    about: 'create an API key; prints a link that shows its secret once',
    call: 'POST /accounts/{account}/key-links',
    options: {
      name: ['--name <name>', 'name of the key', { required: true }],
      memberId: ['--member <member>', 'the member it belongs to'],
      validSeconds: ['--valid <seconds>', 'how long the link opens', { form: 'number', default: '86400' }],
      ...RIGHTS,
    },
  }),
  commandFor<KeyLink, Static<typeof KeyLinkSearch>>()({
    command: 'keys links <account>',
    about: 'list links that hand over keys, and whether they were opened',
    call: 'GET /accounts/{account}/key-links',
    options: { key: ['--key <key>', 'only those of this key'] },
    columns: ['keyName', 'keyId', 'state', 'openedAt', 'expiresAt', 'createdBy', 'id'],
  }),
  commandFor<KeyLink>()({
    command: 'keys withdraw <account> <link>',
    about: 'withdraw a link that was not opened',
    call: 'DELETE /accounts/{account}/key-links/{link}',
  }),
];
