/**
 * Copies records to an analytics database, batch by batch. The position advances only when a batch is stored, so that a
 * process that dies leaves nothing out; the destination counts duplicates once. One node copies at a time.
 */
import { Rounds } from '../../../kernel/rounds.ts';
import type { SinkDestination, SinkLease, SinkRows } from './ports.ts';

export type SinkSettings = { readonly batchRows: number; readonly everyMs: number };

export type SinkPorts = {
  readonly rows: SinkRows;
  readonly destination: SinkDestination;
  /** Undefined if another node copies. */
  readonly lease: () => Promise<SinkLease | undefined>;
  readonly onTrouble: (error: unknown) => void;
};

const LONGEST_PAUSE_MS = 60_000;
const LAG_EVERY_MS = 5000;

export class RecordSink {
  readonly #settings: SinkSettings;
  readonly #ports: SinkPorts;
  #lease: SinkLease | undefined;
  /** The id of the destination, once it has been prepared. */
  #id: string | undefined;
  #failures = 0;
  #failed = 0;
  #copied = 0;
  #lagMs = 0;
  #lagReadAtMs = Number.NEGATIVE_INFINITY;
  readonly #rounds: Rounds;

  constructor(settings: SinkSettings, ports: SinkPorts) {
    this.#settings = settings;
    this.#ports = ports;
    const { onTrouble } = ports;
    this.#rounds = new Rounds({ run: () => this.#goRound(), pauseMs: () => this.#pauseMs(), onTrouble });
  }

  /** Rows sent by this process, duplicates included. */
  get copied(): number {
    return this.#copied;
  }

  /** Rounds of this process that failed and were retried. */
  get failed(): number {
    return this.#failed;
  }

  /** Age in ms of the oldest record that is not copied. */
  get lagMs(): number {
    return this.#lagMs;
  }

  get isFeeding(): boolean {
    return this.#lease !== undefined && !this.#lease.isLost;
  }

  start(): void {
    this.#rounds.start(0);
  }

  async stop(): Promise<void> {
    await this.#rounds.stop();
    await this.#letGo();
  }

  #pauseMs(): number {
    const { everyMs } = this.#settings;
    return this.#failures === 0 ? everyMs : Math.min(LONGEST_PAUSE_MS, everyMs * 2 ** Math.min(this.#failures, 16));
  }

  async #goRound(): Promise<void> {
    try {
      while (!this.#rounds.isStopped && (await this.#copySome())) await this.#readLag();
      this.#failures = 0;
    } catch (error) {
      this.#failures++;
      this.#failed++;
      // Tables may have been dropped or replaced: the next round prepares the destination again.
      this.#id = undefined;
      this.#ports.onTrouble(error);
    }
    await this.#readLag().catch(() => undefined);
  }

  /** False if there is nothing more to copy for now. */
  async #copySome(): Promise<boolean> {
    const { rows, destination } = this.#ports;
    if (!(await this.#hasLease())) return false;
    this.#id ??= await destination.prepare();
    const turn = await rows.draw(this.#id);
    const { lines, next, isLast } = await rows.read(turn, this.#settings.batchRows);
    if (lines.length > 0) await destination.insert(lines);
    this.#copied += lines.length;
    if (!(await rows.advance(this.#id, turn, next))) {
      await this.#letGo();
      return false;
    }
    return !isLast;
  }

  async #hasLease(): Promise<boolean> {
    if (this.#lease?.isLost === true) await this.#letGo();
    this.#lease ??= await this.#ports.lease();
    return this.#lease !== undefined;
  }

  async #letGo(): Promise<void> {
    const lease = this.#lease;
    this.#lease = undefined;
    await lease?.release().catch(() => undefined);
  }

  async #readLag(): Promise<void> {
    if (performance.now() - this.#lagReadAtMs < Math.min(LAG_EVERY_MS, this.#settings.everyMs)) return;
    this.#lagReadAtMs = performance.now();
    this.#lagMs = await this.#ports.rows.lagMs();
  }
}
