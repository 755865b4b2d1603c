// The way from a worker to its supervisor. What cannot be said any more is not waited for.

import type { FromWorker } from './messages.ts';

export const tell = (message: FromWorker): Promise<void> =>
  new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });
