/** Size of the next batch of postings, and age of the oldest one that waits. */

const FEWEST = 64;
const USUAL = 256;
const MOST = 1024;
/**
 * An account is locked while its batch is applied, and requests that need a hold from the database wait for that lock.
 */
const SLOW_MS = 250;

/** Grows while there is more to post than fits, and shrinks after a batch that was slow or got no answer. */
export class BatchSize {
  most = USUAL;

  answered(sent: number, tookMs: number): void {
    if (tookMs > SLOW_MS) this.#shrink();
    else if (sent >= this.most) this.most = Math.min(MOST, this.most * 2);
  }

  /** The batch may have exceeded the statement timeout. */
  unanswered(): void {
    this.#shrink();
  }

  #shrink(): void {
    this.most = Math.max(FEWEST, this.most >> 1);
  }
}

const RESOLUTION_MS = 100;

/** Arrival time of the oldest waiting posting, to a tenth of a second; postings leave in the order they came. */
export class WaitingSince {
  #marks: { upTo: number; readonly atMs: number }[] = [];

  pushed(count: number, nowMs: number): void {
    const last = this.#marks.at(-1);
    if (last === undefined || nowMs - last.atMs >= RESOLUTION_MS) this.#marks.push({ upTo: count, atMs: nowMs });
    else last.upTo = count;
  }

  posted(count: number): void {
    const first = this.#marks.findIndex(({ upTo }) => upTo > count);
    this.#marks = first === -1 ? [] : this.#marks.slice(first);
  }

  ageMs(nowMs: number): number {
    const [oldest] = this.#marks;
    return oldest === undefined ? 0 : nowMs - oldest.atMs;
  }
}
