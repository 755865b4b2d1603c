// `trivium keys new`: a secret for the caller, its hash for the configuration.

import type { Command } from 'commander';
import type { Terminal } from '../terminal.ts';

export const addKeysNew = (parent: Command, terminal: Terminal): void => {
  parent
    .command('new')
    .description('create an API key: prints the secret once, and the hash for the configuration')
    .action(async () => {
      const { hashSecret, newKeySecret } = await import('@trivium/gateway/keys');
      const secret = newKeySecret();
      terminal.print(`secret: ${secret}`);
      terminal.print(`hash: sha256:${hashSecret(secret)}`);
    });
};
