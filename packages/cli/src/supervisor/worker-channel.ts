// IPC from a worker to its supervisor. A message that can no longer be sent resolves at once.

import type { FromWorker } from './messages.ts';

export const tell = (message: FromWorker): Promise<void> =>
  new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });
