// `trivium dev`: everything at once, for trying things out.

import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { DevOptions } from '../actions/dev.ts';
import { parsePort } from '../ports.ts';
import type { Terminal } from '../terminal.ts';

const DEFAULT_PORT = 8080;
const DEFAULT_FOLDER = '.trivium/dev';

export const addDev = (parent: Command, terminal: Terminal): void => {
  parent
    .command('dev')
    .description('run gateway, simulator and database together for development, with a generated API key')
    .option('--port <port>', 'port of the gateway (0: any free port)', parsePort, DEFAULT_PORT)
    .option('--data <folder>', 'folder for the database and generated secrets', DEFAULT_FOLDER)
    .option('--no-database', 'run without a database')
    .action(async (options: DevOptions) => {
      const { dev } = await import('../actions/dev.ts');
      await dev({ ...options, data: resolve(options.data) }, terminal);
    });
};
