/**
 * Runs what is queued: claims the oldest, on whichever node has room, and keeps its claims while it works. A worker that
 * dies loses them, and another goes on.
 */
import { every, pause } from '../../../kernel/clock.ts';
import type { BackgroundPorts } from './ports.ts';
import type { BackgroundRows, ClaimedJob, JobKey } from './rows.ts';
import { BackgroundRun } from './run.ts';

/** How long a claim lasts without a beat. */
export const LEASE_MS = 12_000;
const BEAT_MS = 1000;
/** What others queued is found this late at most. */
const LOOK_MS = 500;
/** Where nothing can be queued, one in this number of looks is made: what was queued before still has to end. */
const LOOKS_WHERE_OFF = 60;
const SWEEP_MS = 60_000;
const CLOSING_LOOK_MS = 50;

const nameOf = ({ accountId, id }: JobKey): string => `${accountId} ${id}`;

export class BackgroundRunner {
  readonly #ports: BackgroundPorts;
  readonly #rows: BackgroundRows;
  readonly #running = new Map<string, BackgroundRun>();
  #stops: readonly (() => void)[] = [];
  #looking: Promise<void> | undefined;
  #isClosing = false;
  #looks = 0;
  #beatAtMs: number;

  constructor(ports: BackgroundPorts) {
    this.#ports = ports;
    this.#rows = ports.rows;
    this.#beatAtMs = ports.clock.monotonicMs();
  }

  start(): void {
    const { onTrouble } = this.#ports;
    this.#stops = [
      every(BEAT_MS, () => this.#beat(), onTrouble),
      every(LOOK_MS, async () => this.look(), onTrouble),
      every(
        SWEEP_MS,
        async () => {
          while ((await this.#rows.sweep()) > 0);
        },
        onTrouble,
      ),
    ];
  }

  /** Called every `LOOK_MS`: installations that store no responses ask their database for none. */
  look(): void {
    if (this.#ports.settings().isOffered || this.#looks++ % LOOKS_WHERE_OFF === 0) this.wake();
  }

  /** Something may wait. */
  wake(): void {
    if (this.#looking !== undefined || this.#isClosing) return;
    this.#looking = this.#look()
      .catch(this.#ports.onTrouble)
      .finally(() => {
        this.#looking = undefined;
      });
  }

  /** One that runs here. */
  cancel(key: JobKey): void {
    this.#running.get(nameOf(key))?.leave('cancelled');
  }

  /** Works on one that was claimed. */
  async run(claimed: ClaimedJob): Promise<void> {
    const run = new BackgroundRun(claimed, this.#ports);
    const name = nameOf(claimed);
    // This process had stood still for as long as a claim lasts.
    this.#running.get(name)?.leave('lost');
    if (this.#running.size === 0) this.#beatAtMs = this.#ports.clock.monotonicMs();
    this.#running.set(name, run);
    try {
      await run.work();
    } catch (error) {
      this.#ports.onTrouble(error);
    } finally {
      if (this.#running.get(name) === run) this.#running.delete(name);
    }
  }

  /** Takes no more. What runs may end until then; the rest goes on elsewhere, or fails there if it was seen. */
  async stop(withinMs: number): Promise<void> {
    this.#isClosing = true;
    const { clock } = this.#ports;
    const untilMs = clock.monotonicMs() + withinMs;
    while (this.#running.size > 0 && clock.monotonicMs() < untilMs) await pause(CLOSING_LOOK_MS);
    const left = [...this.#running.values()];
    for (const run of left) run.leave('lost');
    for (const { claimed } of left) await this.#rows.giveBack(claimed).catch(this.#ports.onTrouble);
    for (const stop of this.#stops) stop();
    await this.#looking;
  }

  async #look(): Promise<void> {
    while (!this.#isClosing) {
      const { atOnce, perAccount } = this.#ports.settings();
      if (this.#running.size >= atOnce) return;
      const claimed = await this.#rows.claim(LEASE_MS, perAccount);
      if (claimed === undefined) return;
      if (this.#isClosing) {
        await this.#rows.giveBack(claimed);
        return;
      }
      void this.run(claimed).then(() => this.wake());
    }
  }

  async #beat(): Promise<void> {
    const runs = [...this.#running.values()];
    if (runs.length === 0) return;
    const { clock } = this.#ports;
    const askedAtMs = clock.monotonicMs();
    try {
      const own = await this.#rows.beat(
        runs.map(({ claimed }) => claimed),
        LEASE_MS,
      );
      this.#beatAtMs = askedAtMs;
      for (const run of runs) {
        const { accountId, id } = run.claimed;
        const kept = own.find((one) => one.id === id && one.accountId === accountId && one.run === run.claimed.run);
        // One that has just ended is not kept either, and leaving it has no effect.
        if (kept === undefined) run.leave('lost');
        else if (kept.isErased) run.leave('erased');
        else if (kept.isCancelAsked) run.leave('cancelled');
      }
    } catch (error) {
      // Others may have taken over by now; a write of ours would find that out.
      if (clock.monotonicMs() - this.#beatAtMs > LEASE_MS) for (const run of runs) run.leave('lost');
      throw error;
    }
  }
}
