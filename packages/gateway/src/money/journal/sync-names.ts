/** What is in a folder survives a power failure only once the folder's own list of names has been synced. */
import { fsync } from 'node:fs';

/**
 * Of an open folder. Windows refuses to sync one that is open for reading, as all folders are there; its file systems write names to their
 * own journal instead.
 */
export function syncNames(
  fd: number,
  done: (error: NodeJS.ErrnoException | null) => void,
  platform: string = process.platform,
): void {
  if (platform === 'win32') queueMicrotask(() => done(null));
  else fsync(fd, done);
}
