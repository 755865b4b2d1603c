// Shutdown: the first signal drains, the second ends the process at once.

import type { Terminal } from './terminal.ts';

const INTERRUPTED = 130;

/** Resolves when the first signal's closing is done. */
export const stopOnSignals = (
  terminal: Terminal,
  close: (signal: string) => Promise<void>,
  signals: readonly Parameters<Terminal['onSignal']>[0][] = ['SIGINT', 'SIGTERM'],
): Promise<void> =>
  new Promise((resolve, reject) => {
    let isClosing = false;
    for (const signal of signals) {
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
