/** `trivium views …`: saved views of the console's lists. */

import type { Static } from 'typebox';
import { type CommandGroup, commandFor } from '../api/command.ts';
import type { NewView, SavedView, ViewSearch } from './contract.ts';

export const viewCommands: CommandGroup = {
  group: 'views',
  about: "saved filters of the console's lists",
  commands: [
    commandFor<SavedView, Static<typeof ViewSearch>>()({
      command: 'views list',
      about: 'list the saved views of this credential, and those that are shared',
      call: 'GET /views',
      options: { page: ['--page <page>', 'requests or usage'] },
      columns: ['name', 'page', 'search', 'shared', 'owner', 'id'],
    }),
    commandFor<SavedView, Static<typeof NewView>>()({
      command: 'views save <page>',
      about: 'save filters of requests or usage under a name',
      call: 'POST /views',
      options: {
        page: ['<page>', ''],
        name: ['--name <name>', 'its name', { required: true }],
        search: ['--search <text>', 'as in the address after ?, e.g. model=openai/*&range=24h', { default: '' }],
        shared: ['--shared', 'for all members of the account', { is: true }],
      },
    }),
    commandFor<SavedView>()({
      command: 'views remove <view>',
      about: 'remove a saved view',
      call: 'DELETE /views/{view}',
    }),
  ],
};
