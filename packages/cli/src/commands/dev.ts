// `trivium dev`: everything at once, for trying things out.

import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { DevOptions } from '../actions/dev.ts';
import { parsePort } from '../ports.ts';
import type { Terminal } from '../terminal.ts';

type GivenOptions = Omit<DevOptions, 'adminPort' | 'simulatorPort' | 'peoplePort'> & {
  readonly people?: true;
  readonly adminPort?: number;
  readonly simulatorPort?: number;
};

const DEFAULT_PORT = 8080;
const DEFAULT_FOLDER = '.trivium/dev';

export const addDev = (parent: Command, terminal: Terminal): void => {
  parent
    .command('dev')
    .description('run gateway, simulator and database together for development, with a generated API key')
    .option('--port <port>', 'port of the gateway (0: any free port)', parsePort, DEFAULT_PORT)
    .option('--admin-port <port>', 'port of the admin API (default: the next after --port)', parsePort)
    .option('--simulator-port <port>', 'port of the simulator (default: the next but one after --port)', parsePort)
    .option('--data <folder>', 'folder for the database and generated secrets', DEFAULT_FOLDER)
    .option('--no-database', 'run without a database')
    .option('--people', 'start an identity provider as well, to try sign-in without keys (not with --port 0)')
    .action(async ({ port, adminPort, simulatorPort, people, ...options }: GivenOptions) => {
      if (people === true && (port === 0 || !options.database))
        throw new Error('--people needs a database, and ports that are known before the start');
      const { dev } = await import('../actions/dev.ts');
      // The same ports at each start, so that variables exported in another terminal stay valid; 0 picks free ports.
      const after = (steps: number): number => (port === 0 ? 0 : port + steps);
      const ports = {
        port,
        adminPort: adminPort ?? after(1),
        simulatorPort: simulatorPort ?? after(2),
        peoplePort: people === true ? after(3) : undefined,
      };
      await dev({ ...options, ...ports, data: resolve(options.data) }, terminal);
    });
};
