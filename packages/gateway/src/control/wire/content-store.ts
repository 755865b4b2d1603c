/** Captured content in the blob store: one encrypted blob per request, under the data key of its account. */
import { buffer } from 'node:stream/consumers';
import type { BlobStore } from '../../media/blobs/blob-store.ts';
import { decrypt, encrypt } from '../../people/secrets/aead.ts';
import type { CapturedAbout } from './capture.ts';
import type { CaptureRow, CaptureRows, CaptureStoreName } from './ports.ts';
import type { StoredWire } from './stored-wire.ts';

export type ContentPorts = {
  readonly rows: CaptureRows;
  readonly blobs: BlobStore;
  /** Id and kind of the store behind `blobs`; called only if there is something to store or to read. */
  readonly store: () => CaptureStoreName;
  readonly nowMs: () => number;
};

/** `elsewhere`: in a folder of another node. `erased`: its key is gone. */
export type Unreadable = 'expired' | 'elsewhere' | 'erased';

const CONTENT_TYPE = 'application/octet-stream';

/** Binds the encryption: content moved to another account or request cannot be decrypted. */
const identityOf = (accountId: string, requestId: string): string => `capture:${accountId}:${requestId}`;

export class ContentStore {
  readonly #ports: ContentPorts;

  constructor(ports: ContentPorts) {
    this.#ports = ports;
  }

  async keep(wire: StoredWire, { accountId, receivedAtMs, expiresAtMs }: CapturedAbout): Promise<boolean> {
    const { rows, blobs, store } = this.#ports;
    const { requestId } = wire;
    const { id: dataKeyId, key } = await rows.dataKeyFor(accountId);
    const sealed = encrypt(key, identityOf(accountId, requestId), Buffer.from(JSON.stringify(wire)));
    const { id: blobId } = await blobs.put(once(sealed), { accountId, contentType: CONTENT_TYPE, expiresAtMs });
    const bytes = sealed.length;
    const row = { requestId, accountId, dataKeyId, blobId, storeId: store().id, bytes, receivedAtMs, expiresAtMs };
    const isKept = await rows.insert(row).catch(async (error: unknown) => {
      await blobs.delete(blobId);
      throw error;
    });
    if (!isKept) await blobs.delete(blobId);
    return isKept;
  }

  async read(row: CaptureRow): Promise<StoredWire | Unreadable> {
    const { rows, blobs, store, nowMs } = this.#ports;
    const { accountId, requestId, dataKeyId, blobId, storeId, expiresAtMs } = row;
    if (expiresAtMs <= nowMs()) return 'expired';
    const dataKey = await rows.findDataKey(accountId);
    if (dataKey?.id !== dataKeyId) return 'erased';
    if ((await blobs.find(blobId)) === undefined) return storeId === store().id ? 'expired' : 'elsewhere';
    const sealed = await buffer(await blobs.open(blobId));
    // Written by `keep`: the cipher's authentication tag proves it.
    return JSON.parse(decrypt(dataKey.key, identityOf(accountId, requestId), sealed).toString()) as StoredWire;
  }

  /**
   * Unreadable everywhere once the rows are deleted; blobs are deleted if this node can reach them, the rest expires.
   */
  async erase(accountId: string): Promise<{ readonly erased: number; readonly left: number }> {
    const { rows, blobs, store } = this.#ports;
    const erased = await rows.erase(accountId);
    let left = 0;
    for (const { blobId, storeId } of erased) {
      if (storeId === store().id) await blobs.delete(blobId).catch(() => left++);
      else left++;
    }
    return { erased: erased.length, left };
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
