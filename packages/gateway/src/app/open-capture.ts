/** Content that is kept where the operator says so, captured or stored, with all its dependencies; part of the composition root. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { secretsOf } from '../config/known-secrets.ts';
import { Capture } from '../control/wire/capture.ts';
import { ContentStore } from '../control/wire/content-store.ts';
import type { CaptureStoreName } from '../control/wire/ports.ts';
import { StoredCaptures } from '../control/wire/rows.ts';
import type { RedactText } from '../control/wire/stored-wire.ts';
import { every, systemClock } from '../kernel/clock.ts';
import type { BlobStore } from '../media/blobs/blob-store.ts';
import { StoredContent } from '../media/responses/content.ts';
import { StoredRows } from '../media/responses/rows.ts';
import { StoredTurns } from '../media/responses/stored-turns.ts';
import type { MemoryBook } from '../money/limits/memory-book.ts';
import type { Log } from '../telemetry/log.ts';
import { credentialRedactor } from '../telemetry/redact.ts';
import type { Backing } from './backing.ts';
import { vaultOf } from './open-webhooks.ts';

/** A change notification may be lost, so the rules are also read at this interval. */
const FOLLOW_EVERY_MS = 30_000;
const SWEEP_EVERY_MS = 600_000;
/** What is not written by then is dropped: captured content must not keep a process from ending. */
const CLOSE_MS = 5000;
const MIB = 1_048_576;
const BOUNDS = { paneLength: MIB / 4, memoryLength: 64 * MIB };

export class OpenCapture {
  readonly capture: Capture;
  readonly content: ContentStore;
  readonly rows: StoredCaptures;
  readonly redact: () => RedactText;
  readonly #config: () => Config;
  #store: CaptureStoreName | undefined;
  readonly #log: Log;
  #stops: readonly (() => void)[] = [];
  #isWarned = false;

  constructor(
    config: () => Config,
    { store }: Backing,
    blobs: BlobStore,
    memory: MemoryBook,
    log: Log,
    secrets: StoredValues,
  ) {
    this.#log = log;
    this.#config = config;
    this.rows = new StoredCaptures(store, vaultOf(config));
    this.content = new ContentStore({
      rows: this.rows,
      blobs,
      store: () => this.#storeName(),
      nowMs: systemClock.nowMs,
    });
    this.redact = redactorOf(config, secrets);
    this.capture = new Capture({
      clock: systemClock,
      redact: this.redact,
      keep: (wire, about) => this.content.keep(wire, about),
      bounds: BOUNDS,
      memory,
      onTrouble: (error) => log.warn('captured content not stored', { problem: String(error) }),
    });
  }

  async start(backing: Backing): Promise<void> {
    backing.onCapture = () => void this.follow().catch(this.#troubled);
    this.#stops = [
      every(FOLLOW_EVERY_MS, () => this.follow(), this.#troubled),
      every(SWEEP_EVERY_MS, () => this.rows.deleteExpired(systemClock.nowMs()), this.#troubled),
    ];
    await this.follow().catch(this.#troubled);
  }

  /** Undefined as long as every node can read everything. */
  async storageWarning(): Promise<string | undefined> {
    const folders = (await this.rows.storesInUse()).filter(({ kind }) => kind === 'folder');
    if (folders.length < 2) return undefined;
    return `${folders.length} nodes keep captured content in separate folders, so each reads only its own. Configure blobs.s3, or share blobs.folder.`;
  }

  get storageKind(): CaptureStoreName['kind'] {
    return this.#config().blobs.s3 === undefined ? 'folder' : 's3';
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_MS);
    });
    await Promise.race([this.capture.drained(), late]);
    clearTimeout(timer);
  }

  /** Applies the rules that are in force. */
  async follow(): Promise<void> {
    this.capture.follow(await this.rows.rulesInForce());
    if (!this.capture.isOn) return;
    await this.rows.noteStore(this.#storeName());
    const warning = await this.storageWarning();
    if (warning !== undefined && !this.#isWarned) this.#log.warn('captured content is split', { problem: warning });
    this.#isWarned = warning !== undefined;
  }

  /** The store is that of the start. */
  #storeName(): CaptureStoreName {
    this.#store ??= storeNameOf(this.#config());
    return this.#store;
  }

  readonly #troubled = (error: unknown): void =>
    this.#log.warn('content capture cannot be managed', { problem: String(error) });
}

/** Rebuilt with the configuration, since it contains its secrets. */
function redactorOf(config: () => Config, secrets: StoredValues): () => RedactText {
  let known: { readonly config: Config; readonly values: readonly string[]; readonly redact: RedactText } | undefined;
  return () => {
    const { values } = secrets;
    if (known?.config !== config() || known.values !== values)
      known = { config: config(), values, redact: credentialRedactor([...secretsOf(config()), ...values]) };
    return known.redact;
  };
}

/** Secrets of stores: another list whenever there is another value. */
type StoredValues = { readonly values: readonly string[] };

/** Below the folder, in the form of a blob's path, so that a sweep skips it. */
const ID_PLACE = ['.store', 'id'] as const;

/** The same for all nodes that read the same blobs. */
function storeNameOf({ blobs }: Config): CaptureStoreName {
  const { s3, folder } = blobs;
  if (s3 !== undefined) return { id: hashOf(`${s3.origin}${s3.bucketPath}/${s3.prefix}`), kind: 's3' };
  const place = join(folder, ...ID_PLACE);
  mkdirSync(join(place, '..'), { recursive: true });
  try {
    writeFileSync(place, randomUUID(), { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return { id: hashOf(readFileSync(place, 'utf8')), kind: 'folder' };
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

const HOUR_MS = 3_600_000;
/** Characters of an answer may take several bytes. */
const BYTES_PER_CHARACTER = 4;

/** Stored responses, under the data keys that captured content has, too. */
export const openResponses = (config: () => Config, { store }: Backing, keys: StoredCaptures, log: Log): StoredTurns =>
  new StoredTurns({
    rows: new StoredRows(store),
    content: new StoredContent(keys),
    monotonicMs: systemClock.monotonicMs,
    settings: () => {
      const { state, limits } = config();
      return {
        keepMs: (state.keepHours ?? 0) * HOUR_MS,
        accountBytes: state.accountBytes,
        maxHistoryCharacters: limits.bodyBytes,
        maxCharacters: limits.bodyBytes + BYTES_PER_CHARACTER * limits.answerBytes,
      };
    },
    onTrouble: (error) => log.warn('responses not stored, or not deleted', { problem: String(error) }),
  });
