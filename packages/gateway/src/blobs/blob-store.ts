/**
 * Where results too large for a row or an answer are kept until they expire. Bytes go in and come out as streams, so that
 * no store holds a whole file in memory; what is kept is whole, or it is not there.
 */
import type { Readable } from 'node:stream';

export type BlobFacts = {
  readonly id: string;
  readonly contentType: string;
  readonly bytes: number;
  /** Of the content, in hex. */
  readonly sha256: string;
  readonly expiresAtMs: number;
};

export type NewBlob = { readonly accountId: string; readonly contentType: string; readonly expiresAtMs: number };

/** Both ends are part of it. */
export type ByteRange = { readonly first: number; readonly last: number };

export interface BlobStore {
  /** Rejects with `BlobTooLarge` beyond the store's bound. Nothing is left of what was not taken whole. */
  put(content: AsyncIterable<Uint8Array>, about: NewBlob): Promise<BlobFacts>;
  /** Undefined for what was never there, is deleted or has expired. */
  find(id: string): Promise<BlobFacts | undefined>;
  /** Rejects when it is gone. Whoever opens it reads it to its end or destroys it. */
  open(id: string, range?: ByteRange): Promise<Readable>;
  /** Of what is not there: nothing happens. */
  delete(id: string): Promise<void>;
  /** Removes what has expired, and what uploads that died have left. Gives the number of blobs removed. */
  sweep(nowMs: number): Promise<number>;
  close(): Promise<void>;
}

export class BlobTooLarge extends Error {
  constructor(maxBytes: number) {
    super(`longer than ${maxBytes} bytes`);
    this.name = 'BlobTooLarge';
  }
}
