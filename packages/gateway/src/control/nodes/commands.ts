/** `trivium nodes list` and `trivium config show`: the running processes, and the settings one of them uses. */

import type { Static } from 'typebox';
import { type CommandGroup, commandFor } from '../api/command.ts';
import type { ConfigurationQuery, ShownNode, ShownSetting } from './contract.ts';

export const configCommands: CommandGroup = {
  group: 'config',
  about: 'check, compare and describe configuration files',
  commands: [
    commandFor<ShownSetting, Static<typeof ConfigurationQuery>>()({
      command: 'config show',
      about: 'show the settings of a running gateway and what says each; secrets are redacted',
      call: 'GET /config',
      options: {
        node: ['--node <node>', 'of this node (default: the one that answers)'],
        '-changed': ['--changed', 'only what is not a default'],
      },
      columns: ['path', 'value', 'source', 'place'],
      rowsIn: 'items',
    }),
  ],
};

export const nodeCommands: CommandGroup = {
  group: 'nodes',
  about: 'processes that serve',
  commands: [
    commandFor<ShownNode>()({
      command: 'nodes list',
      about: 'list every process with its version, configuration and load',
      call: 'GET /nodes',
      columns: [
        'id',
        'version',
        'startedAt',
        'unready',
        'generation',
        'configHash',
        'inFlight',
        'unpostedSettlements',
        'usageWaiting',
        'loopDelayMs',
        'seenAt',
      ],
      rowsIn: 'items',
    }),
  ],
};
