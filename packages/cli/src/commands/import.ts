// `trivium import`: a configuration made from the one of another gateway.

import type { Command } from 'commander';
import { DEFAULT_CONFIG_FILE } from '../config-option.ts';
import type { Terminal } from '../terminal.ts';

const SOURCES = {
  litellm: 'config.yaml of a LiteLLM proxy',
  portkey: 'gateway configuration of Portkey, as JSON',
  'one-api': 'channels of one-api: JSON of its API, or its SQLite file',
  'new-api': 'channels of new-api: JSON of its API, or its SQLite file',
  openrouter: 'JSON with the models and provider preferences you send to OpenRouter',
} as const;

interface ImportCommandOptions {
  readonly output: string;
  readonly accounts?: string;
  readonly teams?: string;
  readonly force?: true;
}

export const addImport = (parent: Command, terminal: Terminal): void => {
  const group = parent.command('import').description('make a configuration from the one of another gateway');
  for (const [source, description] of Object.entries(SOURCES)) {
    const command = group
      .command(source)
      .description(description)
      .argument('<file>', 'file to read')
      .option('-o, --output <file>', 'file to write', DEFAULT_CONFIG_FILE)
      .option('--force', 'replace files that exist');
    if (source === 'litellm')
      command
        .option('--teams <file>', 'JSON of GET /team/list: teams become accounts')
        .option('--accounts <file>', 'file to write accounts and budgets to (default: accounts.yaml beside --output)');
    command.action(async (file: string, options: ImportCommandOptions) => {
      const { importConfig } = await import('../actions/import.ts');
      await importConfig(source, { file, ...options }, terminal);
    });
  }
};
