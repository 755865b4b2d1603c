/** `trivium managed-settings …`: what people's agents get. */
import { type CommandGroup, commandFor } from '../api/command.ts';
import type { ManagedSettingsVersion } from './contract.ts';

export const managedCommands: CommandGroup = {
  group: 'managed-settings',
  about: "settings of people's agents, by group or account",
  commands: [
    commandFor<ManagedSettingsVersion>()({
      command: 'managed-settings list',
      about: 'list the settings in force, in the order in which they decide',
      call: 'GET /managed-settings',
      rowsIn: 'items',
      columns: ['name', 'version', 'entry.priority', 'entry.match', 'checksum', 'createdAt', 'createdBy'],
    }),
    commandFor<ManagedSettingsVersion>()({
      command: 'managed-settings history <settings>',
      about: 'list the versions of settings, latest first',
      call: 'GET /managed-settings/{settings}',
      rowsIn: 'items',
      columns: ['version', 'createdAt', 'createdBy', 'entry'],
    }),
    commandFor<ManagedSettingsVersion>()({
      command: 'managed-settings save',
      about: 'save settings; programs get them within the hour, and at their next start',
      call: 'POST /managed-settings',
      options: { '-file': ['--file <path>', 'JSON file with the settings', { required: true }] },
    }),
    commandFor<ManagedSettingsVersion>()({
      command: 'managed-settings remove <settings>',
      about: 'remove settings; their versions stay listed',
      call: 'DELETE /managed-settings/{settings}',
    }),
  ],
};
