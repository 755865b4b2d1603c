/**
 * Blobs in an S3-compatible bucket. A stream is first written to a local file: then its length and digest are known,
 * one signed PUT carries them, and the store refuses content that was changed on the way.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ByteAnswer, ByteRequest } from '../../upstream/byte-client.ts';
import type { S3Request } from '../../upstream/signing/s3-signer.ts';
import { newBlobId, readBlobId } from './blob-id.ts';
import type { BlobFacts, BlobStore, ByteRange, NewBlob } from './blob-store.ts';
import { type Spooled, spool, sweepAbandoned } from './spool.ts';

export type S3Ports = {
  readonly send: (request: ByteRequest) => Promise<ByteAnswer>;
  readonly sign: (request: S3Request) => Record<string, string>;
  readonly close: () => Promise<void>;
  readonly nowMs: () => number;
};

export type S3Settings = {
  /** The bucket's path, if the host name does not contain it: `/videos`; else empty. */
  readonly bucketPath: string;
  /** Precedes every key, with its slash. */
  readonly prefix: string;
  /** Folder for streams being uploaded. */
  readonly spoolFolder: string;
  readonly maxBytes: number;
};

const EMPTY_SHA256 = createHash('sha256').digest('hex');
const SHA256_HEADER = 'x-amz-meta-sha256';
/** Uploads are retried from the file: a second PUT of the same object changes nothing. */
const MAX_TRIES = 3;
const MAX_LIST_PAGES = 10_000;

export class S3Store implements BlobStore {
  readonly #settings: S3Settings;
  readonly #ports: S3Ports;

  constructor(settings: S3Settings, ports: S3Ports) {
    this.#settings = settings;
    this.#ports = ports;
  }

  async put(content: AsyncIterable<Uint8Array>, about: NewBlob): Promise<BlobFacts> {
    const { spoolFolder, maxBytes } = this.#settings;
    const id = newBlobId(about.accountId, about.expiresAtMs);
    const file = join(spoolFolder, randomUUID());
    await mkdir(spoolFolder, { recursive: true });
    try {
      const spooled = await spool(content, file, maxBytes);
      await this.#upload(id, file, spooled, about.contentType);
      return { id, contentType: about.contentType, ...spooled, expiresAtMs: about.expiresAtMs };
    } finally {
      await rm(file, { force: true });
    }
  }

  async find(id: string): Promise<BlobFacts | undefined> {
    const name = readBlobId(id);
    if (name === undefined || name.expiresAtMs <= this.#ports.nowMs()) return undefined;
    const answer = await this.#ask({ method: 'HEAD', path: this.#path(id) });
    await answer.discard();
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw unexpected('HEAD', answer);
    return {
      id,
      contentType: answer.header('content-type') ?? 'application/octet-stream',
      bytes: Number(answer.header('content-length')),
      sha256: answer.header(SHA256_HEADER) ?? '',
      expiresAtMs: name.expiresAtMs,
    };
  }

  async open(id: string, range?: ByteRange): Promise<Readable> {
    const headers = range === undefined ? {} : { range: `bytes=${range.first}-${range.last}` };
    const answer = await this.#ask({ method: 'GET', path: this.#path(id), headers });
    if (answer.status === (range === undefined ? 200 : 206)) return answer.body;
    await answer.discard();
    throw unexpected('GET', answer);
  }

  async delete(id: string): Promise<void> {
    const answer = await this.#ask({ method: 'DELETE', path: this.#path(id) });
    await answer.discard();
    if (![200, 204, 404].includes(answer.status)) throw unexpected('DELETE', answer);
  }

  async sweep(nowMs: number): Promise<number> {
    let removed = 0;
    let from: string | undefined;
    for (let page = 0; page < MAX_LIST_PAGES; page++) {
      const { ids, next } = await this.#list(from);
      for (const id of ids) {
        const name = readBlobId(id);
        if (name === undefined || name.expiresAtMs > nowMs) continue;
        await this.delete(id);
        removed++;
      }
      if (next === undefined) break;
      from = next;
    }
    await sweepAbandoned(this.#settings.spoolFolder, nowMs);
    return removed;
  }

  close(): Promise<void> {
    return this.#ports.close();
  }

  async #upload(id: string, file: string, { bytes, sha256 }: Spooled, contentType: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await this.#ask({
          method: 'PUT',
          path: this.#path(id),
          headers: { 'content-type': contentType, 'content-length': String(bytes), [SHA256_HEADER]: sha256 },
          bodySha256: sha256,
          body: createReadStream(file),
        });
        await answer.discard();
        if (answer.status === 200) return;
        throw unexpected('PUT', answer);
      } catch (error) {
        if (attempt === MAX_TRIES) throw error;
      }
    }
  }

  /** Only names in the gateway's format count; other objects in the bucket are left alone. */
  async #list(from: string | undefined): Promise<{ readonly ids: readonly string[]; readonly next?: string }> {
    const { bucketPath, prefix } = this.#settings;
    const query = new URLSearchParams({
      'list-type': '2',
      prefix,
      ...(from !== undefined && { 'continuation-token': from }),
    });
    const answer = await this.#ask({
      method: 'GET',
      path: `${bucketPath || '/'}?${query.toString().replaceAll('+', '%20')}`,
    });
    if (answer.status !== 200) {
      await answer.discard();
      throw unexpected('list', answer);
    }
    const page = await text(answer.body);
    const ids = [...page.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key.slice(prefix.length));
    const next = /<NextContinuationToken>([^<]*)<\/NextContinuationToken>/.exec(page)?.[1];
    return { ids, ...(next !== undefined && { next }) };
  }

  #ask({
    bodySha256 = EMPTY_SHA256,
    headers = {},
    body,
    ...request
  }: {
    readonly method: ByteRequest['method'];
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly bodySha256?: string;
    readonly body?: Readable;
  }): Promise<ByteAnswer> {
    const signed = this.#ports.sign({ ...request, headers, bodySha256 });
    return this.#ports.send({ ...request, headers: signed, ...(body !== undefined && { body }) });
  }

  #path(id: string): string {
    if (readBlobId(id) === undefined) throw new Error('not the id of a blob');
    return `${this.#settings.bucketPath}/${this.#settings.prefix}${id}`;
  }
}

const unexpected = (what: string, { status }: ByteAnswer): Error =>
  new Error(`the object store answered ${what} with status ${status}`);
