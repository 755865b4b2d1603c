/** The blobs of a gateway: one store, signed links to its content, and a sweep every hour. */
import { every } from '../../kernel/clock.ts';
import type { BlobFacts, BlobStore, ByteRange } from './blob-store.ts';
import type { LinkedBlob, LinkedBlobs } from './linked-blob.ts';
import { BlobLinks } from './links.ts';

type LinkSettings = {
  readonly mount: string;
  readonly publicOrigin?: string;
  readonly linkMs: number;
  readonly keys: readonly string[];
};

export type KeptBlobsPorts = {
  readonly store: BlobStore;
  readonly links: () => LinkSettings;
  readonly nowMs: () => number;
  readonly onTrouble: (error: unknown) => void;
};

const SWEEP_EVERY_MS = 3_600_000;

export class KeptBlobs implements LinkedBlobs {
  readonly store: BlobStore;
  readonly #ports: KeptBlobsPorts;
  #stopSweeping: (() => void) | undefined;

  constructor(ports: KeptBlobsPorts) {
    this.#ports = ports;
    this.store = ports.store;
  }

  start(): void {
    const { store, nowMs, onTrouble } = this.#ports;
    this.#stopSweeping = every(SWEEP_EVERY_MS, () => store.sweep(nowMs()), onTrouble);
  }

  /**
   * The link is valid for a while, and never longer than the blob is stored. `askedOrigin`: where the caller reached
   * us.
   */
  linkTo({ id, expiresAtMs }: Pick<BlobFacts, 'id' | 'expiresAtMs'>, askedOrigin: string): string {
    const { mount, publicOrigin, linkMs, keys } = this.#ports.links();
    const until = Math.min(expiresAtMs, this.#ports.nowMs() + linkMs);
    return `${publicOrigin ?? askedOrigin}${mount}/${new BlobLinks(keys).sign(id, until)}`;
  }

  async follow(id: string, query: ReadonlyMap<string, string>): Promise<LinkedBlob | 'forged' | 'gone'> {
    const verdict = new BlobLinks(this.#ports.links().keys).check(id, query, this.#ports.nowMs());
    if (verdict === 'forged') return 'forged';
    return (verdict === 'good' ? await this.find(id) : undefined) ?? 'gone';
  }

  async find(id: string): Promise<LinkedBlob | undefined> {
    const facts = await this.store.find(id);
    return facts && { ...facts, open: (range?: ByteRange) => this.store.open(id, range) };
  }

  close(): Promise<void> {
    this.#stopSweeping?.();
    return this.store.close();
  }
}
