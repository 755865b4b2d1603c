// `trivium init`: a configuration to start from.

import type { Command } from 'commander';
import { DEFAULT_CONFIG_FILE } from '../config-option.ts';
import type { InitOptions } from '../init/answers.ts';
import { parsePort } from '../ports.ts';
import type { Terminal } from '../terminal.ts';

const EXAMPLE = `
Example:
  trivium init --yes --providers openai azure --variable azure.resource=my-team --credential azure=MY_AZURE_KEY`;

export const addInit = (parent: Command, terminal: Terminal): void => {
  parent
    .command('init')
    .description('write a configuration file: asks, or takes the answers as options')
    .option('-y, --yes', 'ask nothing: take the options given here, and defaults for the rest')
    .option('-o, --output <file>', 'file to write', DEFAULT_CONFIG_FILE)
    .option('--force', 'replace the file if it exists')
    .option('--offline', 'do not test the credentials')
    .option('--providers <ids...>', 'providers to call (default: those whose variable is set, or openai)')
    .option('--credential <id=NAME...>', 'environment variable with the credential of a provider')
    .option('--variable <id.name=value...>', 'a setting that a provider needs, e.g. azure.resource=my-team')
    .option('--base-url <id=url...>', 'base URL in place of the one a provider has')
    .option('--host <host>', 'address to listen on (default: 127.0.0.1)')
    .option('--port <port>', 'port to listen on (default: 8080)', parsePort)
    .option('--admin-port <port>', 'port of the admin listener (default: the next after --port)', parsePort)
    .option('--key-name <name>', 'name of the first API key (default: app)')
    .option('--database <NAME>', 'environment variable with the PostgreSQL URL (default: none)')
    .option('--redis <NAME>', 'environment variable with the URL of Redis (default: none)')
    .option('--keep-hours <hours>', 'hours to store responses that clients refer to (default: none is stored)')
    .addHelpText('after', EXAMPLE)
    .action(async ({ credential, variable, baseUrl, ...options }: GivenOptions) => {
      const { init } = await import('../actions/init.ts');
      const lists = {
        ...(credential && { credentials: credential }),
        ...(variable && { variables: variable }),
        ...(baseUrl && { baseUrls: baseUrl }),
      };
      await init({ ...options, ...lists }, terminal);
    });
};

type GivenOptions = InitOptions & {
  readonly credential?: readonly string[];
  readonly variable?: readonly string[];
  readonly baseUrl?: readonly string[];
};
