/** `trivium operations …`: an account's video operations. */

import type { Static } from 'typebox';
import { type CommandGroup, commandFor } from '../api/command.ts';
import type { Operation, OperationPage } from './contract.ts';

export const operationCommands: CommandGroup = {
  group: 'operations',
  about: 'video operations of an account',
  commands: [
    commandFor<Operation, Static<typeof OperationPage>>()({
      command: 'operations list <account>',
      about: 'list operations, newest first',
      call: 'GET /accounts/{account}/operations',
      options: { state: ['--state <state>', 'only those in this state, e.g. running'] },
      columns: ['createdAt', 'model', 'state', 'percent', 'costUsd', 'id', 'videos'],
    }),
    commandFor<Operation>()({
      command: 'operations show <account> <operation>',
      about: 'show one operation',
      call: 'GET /accounts/{account}/operations/{operation}',
    }),
    commandFor<Operation>()({
      command: 'operations cancel <account> <operation>',
      about: 'cancel one; nothing is charged',
      call: 'POST /accounts/{account}/operations/{operation}/cancel',
    }),
    commandFor<Operation>()({
      command: 'operations watch <account> <operation>',
      about: 'show its progress until it has ended',
      call: 'GET /accounts/{account}/operations/{operation}',
      options: { '-every': ['--every <seconds>', 'poll interval in seconds', { default: '1' }] },
    }),
  ],
};
