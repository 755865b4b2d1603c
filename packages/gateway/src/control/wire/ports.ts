/** The storage of captured content and its rules. */
import type { CaptureRule } from './rules.ts';

/** A captured request in the database; its bytes are in the blob store. */
export type CaptureRow = {
  readonly requestId: string;
  readonly accountId: string;
  /** The account's data key that its content is encrypted with. */
  readonly dataKeyId: string;
  readonly blobId: string;
  /** The store that has its blob. */
  readonly storeId: string;
  readonly bytes: number;
  readonly receivedAtMs: number;
  readonly expiresAtMs: number;
};

/** Decrypted. */
export type DataKey = { readonly id: string; readonly key: Buffer };

export interface CaptureRows {
  /** The latest rules of the accounts that still have a rule before its end date, and of their keys. */
  rulesInForce(): Promise<readonly CaptureRule[]>;
  /** Created if the account has none; rejects if nothing can be encrypted. */
  dataKeyFor(accountId: string): Promise<DataKey>;
  /** Never cached: a key deleted on another node decrypts nothing here. */
  findDataKey(accountId: string): Promise<DataKey | undefined>;
  /** False if the data key has been deleted meanwhile. */
  insert(row: CaptureRow): Promise<boolean>;
  find(accountId: string, requestId: string): Promise<CaptureRow | undefined>;
  /** Rules of an account and a key that were in force at a time. */
  rulesAt(accountId: string, keyId: string, atMs: number): Promise<readonly CaptureRule[]>;
  /** Deletes the data key and all rows of the account; remaining blobs cannot be decrypted. */
  erase(accountId: string): Promise<readonly CaptureRow[]>;
  deleteExpired(nowMs: number): Promise<number>;
  /** Records that this node keeps captures in this store. */
  noteStore(store: CaptureStoreName): Promise<void>;
  /** Stores that nodes have recorded in the last minutes. */
  storesInUse(): Promise<readonly CaptureStoreName[]>;
}

export type CaptureStoreName = { readonly id: string; readonly kind: 'folder' | 's3' };
