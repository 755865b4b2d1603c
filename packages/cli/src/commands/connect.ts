// `trivium connect`: the settings with which a client calls this gateway.

import type { Command } from 'commander';
import type { ConnectOptions } from '../connect/client.ts';
import type { Terminal } from '../terminal.ts';

const EXAMPLE = `
Example:
  TRIVIUM_KEY=sk-trivium-… trivium connect claude-code --url https://gw.example.com --write`;

export const addConnect = (parent: Command, terminal: Terminal): void => {
  parent
    .command('connect')
    .description('print or write the settings of a coding agent or chat client')
    .argument('[client]', 'its id; without one, list all clients')
    .option(
      '--url <url>',
      'address of the gateway (default: listen.publicUrl of the configuration file, else this machine)',
    )
    .option('--model <id>', 'model to use', 'anthropic/claude-sonnet-4.6')
    .option('--write', 'write the settings files below your home folder; JSON files keep what else they hold')
    .addHelpText('after', EXAMPLE)
    .action(async (client: string | undefined, options: ConnectOptions) => {
      const { connect } = await import('../actions/connect.ts');
      await connect(client, options, terminal);
    });
};
