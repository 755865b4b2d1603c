/** `trivium models …`: the models a running gateway knows, and where each can be called. */

import type { Static } from 'typebox';
import { type CommandGroup, commandFor } from '../api/command.ts';
import type { ModelDetail, ModelQuery, ModelSearch, ShownModel } from './contract.ts';
import type { ModelAlias, ModelAliasName, NewModelAlias, OwnModel, OwnModelDefinition } from './own-contract.ts';

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
    commandFor<OwnModel>()({
      command: 'models own',
      about: 'list own models that were set in the database',
      call: 'GET /models/own',
      columns: ['id', 'updatedBy', 'updatedAt'],
    }),
    commandFor<OwnModel, OwnModelDefinition>()({
      command: 'models set',
      about: 'add or replace an own model',
      call: 'POST /models/own',
      options: {
        '-file': ['--file <path>', 'JSON file in the form of `models` of the configuration', { required: true }],
      },
    }),
    commandFor<OwnModel>()({
      command: 'models remove <model>',
      about: 'delete an own model of the database',
      call: 'DELETE /models/{owner}/{name}',
      arguments: { model: '<owner>/<name>' },
    }),
    commandFor<ModelAlias>()({
      command: 'models aliases',
      about: 'list aliases that were set in the database',
      call: 'GET /models/aliases',
      columns: ['name', 'model', 'updatedBy', 'updatedAt'],
    }),
    commandFor<ModelAlias, Static<typeof NewModelAlias>>()({
      command: 'models alias <alias> <target>',
      about: 'set a further name of a model',
      call: 'POST /models/aliases',
      options: { name: ['<alias>', ''], model: ['<target>', 'id of the model'] },
    }),
    commandFor<Static<typeof ModelAliasName>, Static<typeof ModelAliasName>>()({
      command: 'models unalias <alias>',
      about: 'delete an alias of the database',
      call: 'DELETE /models/aliases',
      options: { name: ['<alias>', ''] },
    }),
  ],
};
