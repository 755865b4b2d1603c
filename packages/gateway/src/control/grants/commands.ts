/** `trivium grants …`: programs in which people have signed in. */
import type { Static } from 'typebox';
import { type CommandGroup, commandFor } from '../api/command.ts';
import type { EndedGrant, GrantSearch, SignedInApp } from './contract.ts';

export const grantCommands: CommandGroup = {
  group: 'grants',
  about: 'programs in which people have signed in',
  commands: [
    commandFor<SignedInApp, Static<typeof GrantSearch>>()({
      command: 'grants list [account]',
      about: 'list signed-in programs of an account, or of all',
      call: 'GET /grants',
      options: {
        account: ['[account]', ''],
        member: ['--member <member>', 'programs of this member'],
        client: ['--client <kind>', 'claude-code, trivium-cli or app'],
        state: ['--state <state>', 'active or ended'],
      },
      columns: [
        { of: 'accountId', unless: 'account' },
        'memberName',
        'label',
        'id',
        'createdAt',
        'provenAt',
        'lastUsedAt',
        'endedAt',
      ],
    }),
    commandFor<Static<typeof EndedGrant>>()({
      command: 'grants end <grant>',
      about: 'sign a program out, on all nodes',
      call: 'DELETE /grants/{grant}',
    }),
  ],
};
