// The operator's secret, generated at the first start with a database. Standard output is the log, which is shipped and stored, so
// the secret goes to a terminal, or to a file that only its owner can read.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config, Log } from '@trivium/gateway';
import type { Terminal } from './terminal.ts';

const FILE = 'operator-secret';

export const showFirstSecret =
  ({ ledger: { journal } }: Config, log: Log, terminal: Terminal) =>
  (secret: string): void => {
    if (terminal.isInteractive) {
      terminal.print(`The operator's secret for the admin API, shown this once: ${secret}`);
      return;
    }
    const file = resolve(join(journal, FILE));
    mkdirSync(journal, { recursive: true });
    writeFileSync(file, `${secret}\n`, { mode: 0o600 });
    log.warn('operator secret for the admin API written to a file; store it and delete the file', { path: file });
  };
