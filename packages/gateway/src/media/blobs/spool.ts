/**
 * Streams on their way into a store: written to disk, bounded, counted and hashed as they pass; abandoned files are
 * swept.
 */
import { createHash } from 'node:crypto';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BlobTooLarge } from './blob-store.ts';

export type Spooled = { readonly bytes: number; readonly sha256: string };

const OWNER_ONLY = 0o600;

/** One piece is in memory at a time: the next is requested when this one is written. */
export async function spool(content: AsyncIterable<Uint8Array>, file: string, maxBytes: number): Promise<Spooled> {
  const hash = createHash('sha256');
  const handle = await open(file, 'wx', OWNER_ONLY);
  let bytes = 0;
  try {
    for await (const piece of content) {
      bytes += piece.length;
      if (bytes > maxBytes) throw new BlobTooLarge(maxBytes);
      hash.update(piece);
      await handle.appendFile(piece);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** No upload takes this long: older files belong to processes that have died. */
const ABANDONED_MS = 86_400_000;

export async function sweepAbandoned(folder: string, nowMs: number): Promise<void> {
  for (const name of await namesIn(folder)) {
    const path = join(folder, name);
    const seen = await stat(path).catch(() => undefined);
    if (seen !== undefined && seen.mtimeMs < nowMs - ABANDONED_MS) await rm(path, { recursive: true, force: true });
  }
}

export const isAbsent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** Empty if the folder does not exist. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
