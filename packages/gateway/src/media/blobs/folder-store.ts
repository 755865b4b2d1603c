/**
 * Blobs in a folder, each in its own subfolder with its content and its metadata. It is written to a temporary folder
 * and moved into place atomically, so that a process that dies leaves no partial blob. Several nodes may share one
 * folder.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { syncNames } from '../../money/journal/sync-names.ts';
import { isOwner, newBlobId, readBlobId } from './blob-id.ts';
import type { BlobFacts, BlobStore, ByteRange, NewBlob } from './blob-store.ts';
import { isAbsent, namesIn, spool, sweepAbandoned } from './spool.ts';

export type FolderSettings = { readonly folder: string; readonly maxBytes: number };

const INCOMING = '.incoming';
const CONTENT = 'content';
const FACTS = 'facts.json';

export class FolderStore implements BlobStore {
  readonly #settings: FolderSettings;
  readonly #nowMs: () => number;

  constructor(settings: FolderSettings, nowMs: () => number) {
    this.#settings = settings;
    this.#nowMs = nowMs;
  }

  async put(content: AsyncIterable<Uint8Array>, about: NewBlob): Promise<BlobFacts> {
    const { folder, maxBytes } = this.#settings;
    const id = newBlobId(about.accountId, about.expiresAtMs);
    const aside = join(folder, INCOMING, randomUUID());
    await mkdir(aside, { recursive: true });
    try {
      const facts: BlobFacts = {
        id,
        contentType: about.contentType,
        ...(await spool(content, join(aside, CONTENT), maxBytes)),
        expiresAtMs: about.expiresAtMs,
      };
      await writeFile(join(aside, FACTS), JSON.stringify(facts), { flush: true });
      const place = this.#place(id);
      await mkdir(join(place, '..'), { recursive: true });
      await rename(aside, place);
      await syncFolder(join(place, '..'));
      return facts;
    } catch (error) {
      await rm(aside, { recursive: true, force: true });
      throw error;
    }
  }

  async find(id: string): Promise<BlobFacts | undefined> {
    const name = readBlobId(id);
    if (name === undefined || name.expiresAtMs <= this.#nowMs()) return undefined;
    try {
      // Only `put` writes it.
      return JSON.parse(await readFile(join(this.#place(id), FACTS), 'utf8')) as BlobFacts;
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  async open(id: string, range?: ByteRange): Promise<Readable> {
    const handle = await open(join(this.#place(id), CONTENT), 'r');
    return createReadStream('', {
      fd: handle,
      ...(range !== undefined && { start: range.first, end: range.last }),
    });
  }

  async delete(id: string): Promise<void> {
    await rm(this.#place(id), { recursive: true, force: true });
  }

  async sweep(nowMs: number): Promise<number> {
    const { folder } = this.#settings;
    let removed = 0;
    for (const owner of await namesIn(folder)) {
      // Others may put something here, too, such as `lost+found` of a mounted volume, which cannot be read.
      if (!isOwner(owner)) continue;
      for (const rest of await namesIn(join(folder, owner))) {
        const id = `${owner}-${rest}`;
        const name = readBlobId(id);
        if (name === undefined || name.expiresAtMs > nowMs) continue;
        await this.delete(id);
        removed++;
      }
    }
    await sweepAbandoned(join(folder, INCOMING), nowMs);
    return removed;
  }

  async close(): Promise<void> {}

  /** Throws for invalid ids: no text from outside becomes part of a path. */
  #place(id: string): string {
    const name = readBlobId(id);
    if (name === undefined) throw new Error('not the id of a blob');
    return join(this.#settings.folder, name.owner, id.slice(name.owner.length + 1));
  }
}

/** A move survives a power failure only if the folder itself has been synced. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await promisify(syncNames)(handle.fd).finally(() => handle.close());
}
