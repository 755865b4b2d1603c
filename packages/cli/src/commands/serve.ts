// `trivium serve`: the gateway, alone or as several processes on one address.

import cluster from 'node:cluster';
import { type Command, InvalidArgumentError } from 'commander';
import { withConfigOption } from '../config-option.ts';
import type { Terminal } from '../terminal.ts';

interface ServeOptions {
  readonly config?: string;
  readonly workers?: number;
}

const MAX_WORKERS = 256;

const parseWorkers = (text: string): number => {
  const workers = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0;
  if (workers < 1 || workers > MAX_WORKERS) throw new InvalidArgumentError(`must be a number from 1 to ${MAX_WORKERS}`);
  return workers;
};

export const addServe = (parent: Command, terminal: Terminal): void => {
  withConfigOption(parent.command('serve').description('run the gateway'))
    .option('-w, --workers <number>', 'number of worker processes under a supervisor', parseWorkers)
    .action(async ({ config, workers }: ServeOptions) => {
      // The supervisor of workers runs none of the gateway's code, and loads none.
      if (workers !== undefined && cluster.isPrimary) {
        const { supervise } = await import('../supervisor/supervise.ts');
        await supervise(workers, config, terminal);
        return;
      }
      const { serve } = await import('../actions/serve.ts');
      await serve(config, terminal);
    });
};
