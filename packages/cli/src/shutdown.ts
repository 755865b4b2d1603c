// Stopping: the first signal drains, the second ends the process at once.

import type { Terminal } from './terminal.ts';

const INTERRUPTED = 130;

/** Resolves when the first signal's closing is done. */
export const stopOnSignals = (terminal: Terminal, close: (signal: string) => Promise<void>): Promise<void> =>
  new Promise((resolve, reject) => {
    let isClosing = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      terminal.onSignal(signal, () => {
        if (isClosing) {
          terminal.exit(INTERRUPTED);
          return;
        }
        isClosing = true;
        close(signal).then(resolve, reject);
      });
    }
  });
