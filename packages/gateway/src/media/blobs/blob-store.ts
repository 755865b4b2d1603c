/**
 * Stores results too large for a row or an answer until they expire. Bytes are streamed both ways, so that no store
 * holds a whole file in memory; a blob is complete, or it does not exist.
 */
import type { Readable } from 'node:stream';

export type BlobFacts = {
  readonly id: string;
  readonly contentType: string;
  readonly bytes: number;
  /** Digest of the content, in hex. */
  readonly sha256: string;
  readonly expiresAtMs: number;
};

export type NewBlob = { readonly accountId: string; readonly contentType: string; readonly expiresAtMs: number };

/** Inclusive at both ends. */
export type ByteRange = { readonly first: number; readonly last: number };

export interface BlobStore {
  /** Rejects with `BlobTooLarge` beyond the store's limit. Incomplete content is removed. */
  put(content: AsyncIterable<Uint8Array>, about: NewBlob): Promise<BlobFacts>;
  /** Undefined if it never existed, is deleted or has expired. */
  find(id: string): Promise<BlobFacts | undefined>;
  /** Rejects if it is gone. The caller must read it to its end or destroy it. */
  open(id: string, range?: ByteRange): Promise<Readable>;
  /** No effect if it does not exist. */
  delete(id: string): Promise<void>;
  /** Removes expired blobs, and the rest of aborted uploads. Returns the number of blobs removed. */
  sweep(nowMs: number): Promise<number>;
  close(): Promise<void>;
}

export class BlobTooLarge extends Error {
  constructor(maxBytes: number) {
    super(`longer than ${maxBytes} bytes`);
    this.name = 'BlobTooLarge';
  }
}
