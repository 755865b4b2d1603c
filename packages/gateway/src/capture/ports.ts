/** Where captured content and the rules about it are kept. */
import type { CaptureRule } from './rules.ts';

/** A captured request in the database; its bytes are in the store of blobs. */
export type CaptureRow = {
  readonly requestId: string;
  readonly accountId: string;
  /** Names the account's data key that its content is encrypted under. */
  readonly dataKeyId: string;
  readonly blobId: string;
  /** Names the store its blob is in. */
  readonly storeId: string;
  readonly bytes: number;
  readonly receivedAtMs: number;
  readonly expiresAtMs: number;
};

/** Opened. */
export type DataKey = { readonly id: string; readonly key: Buffer };

export interface CaptureRows {
  /** The latest rule of every account and key that still lets something be captured. */
  rulesInForce(): Promise<readonly CaptureRule[]>;
  /** Made where the account has none; rejects where nothing can be encrypted. */
  dataKeyFor(accountId: string): Promise<DataKey>;
  /** Never from memory: a key that was deleted on another node opens nothing here. */
  findDataKey(accountId: string): Promise<DataKey | undefined>;
  /** False where the data key is gone by now. */
  insert(row: CaptureRow): Promise<boolean>;
  find(accountId: string, requestId: string): Promise<CaptureRow | undefined>;
  /** Rules of an account and a key that were in force at a time. */
  rulesAt(accountId: string, keyId: string, atMs: number): Promise<readonly CaptureRule[]>;
  /** Deletes the data key and all rows of the account; the blobs that are left cannot be decrypted. */
  erase(accountId: string): Promise<readonly CaptureRow[]>;
  deleteExpired(nowMs: number): Promise<number>;
  /** Says that this node keeps captures in this store. */
  noteStore(store: CaptureStoreName): Promise<void>;
  /** Stores that nodes have named in the last minutes. */
  storesInUse(): Promise<readonly CaptureStoreName[]>;
}

export type CaptureStoreName = { readonly id: string; readonly kind: 'folder' | 's3' };
