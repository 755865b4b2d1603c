/** `trivium models …`: the models a running gateway knows, and where each can be called. */

import type { Static } from 'typebox';
import { type CommandGroup, commandFor } from '../api/command.ts';
import type { ModelDetail, ModelQuery, ModelSearch, ShownModel } from './contract.ts';

const ACCOUNT = ['--account <id>', 'at the prices of this account'] as const;

export const modelCommands: CommandGroup = {
  group: 'models',
  about: 'models, their endpoints and prices, and why one cannot be called',
  commands: [
    commandFor<ShownModel, Static<typeof ModelSearch>>()({
      command: 'models list',
      about: 'list models by id',
      call: 'GET /models',
      options: {
        q: ['--search <text>', 'part of the id, the name or an alias'],
        owner: ['--owner <owner>', 'only of this owner'],
        provider: ['--provider <provider>', 'only with an endpoint at this provider'],
        callable: ['--callable', 'only those that can be called'],
        account: ACCOUNT,
      },
      columns: ['id', 'callable', 'whyNot', { of: 'endpoints.provider', title: 'providers' }],
    }),
    commandFor<ModelDetail, Static<typeof ModelQuery>>()({
      command: 'models show <model>',
      about: 'show the endpoints of a model',
      call: 'GET /models/{owner}/{name}',
      arguments: { model: '<owner>/<name>' },
      options: { account: ACCOUNT },
    }),
  ],
};
