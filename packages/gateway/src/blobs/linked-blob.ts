/** What whoever serves links needs of blobs: the port between the listener and the store. */
import type { Readable } from 'node:stream';
import type { BlobFacts, ByteRange } from './blob-store.ts';

export type LinkedBlob = BlobFacts & { open(range?: ByteRange): Promise<Readable> };

export interface LinkedBlobs {
  /** `forged`: nobody was given this link. `gone`: it, or what it leads to, has expired. */
  follow(id: string, query: ReadonlyMap<string, string>): Promise<LinkedBlob | 'forged' | 'gone'>;
}
