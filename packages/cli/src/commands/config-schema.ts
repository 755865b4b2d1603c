// `trivium config schema`: the configuration's JSON schema, for editors.

import type { Command } from 'commander';
import type { Terminal } from '../terminal.ts';

export const addConfigSchema = (parent: Command, terminal: Terminal): void => {
  parent
    .command('schema')
    .description('print the JSON schema of the configuration file')
    .action(async () => {
      const { configSchemaText } = await import('@trivium/gateway/config-schema');
      terminal.print(configSchemaText());
    });
};
