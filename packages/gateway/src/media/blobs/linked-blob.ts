/** The port between the listener, which serves links, and the blob store. */
import type { Readable } from 'node:stream';
import type { BlobFacts, ByteRange } from './blob-store.ts';

export type LinkedBlob = BlobFacts & { open(range?: ByteRange): Promise<Readable> };

export interface LinkedBlobs {
  /** For those who may read it without a link. */
  find(id: string): Promise<LinkedBlob | undefined>;
  /** `forged`: the gateway did not issue this link. `gone`: the link or its blob has expired. */
  follow(id: string, query: ReadonlyMap<string, string>): Promise<LinkedBlob | 'forged' | 'gone'>;
}
