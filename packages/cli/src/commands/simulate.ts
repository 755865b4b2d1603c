// `trivium simulate`: runs the simulated provider alone.

import type { Command } from 'commander';
import { parsePort } from '../ports.ts';
import { stopOnSignals } from '../shutdown.ts';
import type { Terminal } from '../terminal.ts';

interface SimulateOptions {
  readonly port: number;
  readonly host: string;
  readonly lenient?: true;
}

const DEFAULT_PORT = 9090;

export const addSimulate = (parent: Command, terminal: Terminal): void => {
  parent
    .command('simulate')
    .description('run the upstream simulator')
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on (0: any free port)', parsePort, DEFAULT_PORT)
    .option('--lenient', 'accept any request that is JSON (for demonstrations, not for tests)')
    .action(async ({ host, port, lenient }: SimulateOptions) => {
      const { startSimulator } = await import('@trivium/simulator');
      const simulator = await startSimulator({ host, port, lenient: lenient === true, log: terminal.print });
      terminal.print(`simulator: ${simulator.url}/openai/v1`);
      await stopOnSignals(terminal, () => simulator.close());
    });
};
