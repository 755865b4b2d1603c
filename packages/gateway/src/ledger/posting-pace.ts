/** How large the next batch of postings is, and how long what waits has waited. */

const FEWEST = 64;
const USUAL = 256;
const MOST = 1024;
/** An account is locked while its batch is applied, and requests that need a hold from the database wait for that. */
const SLOW_MS = 250;

/** Grows while there is more to post than fits, and shrinks when a batch was slow or got no answer. */
export class BatchSize {
  most = USUAL;

  answered(sent: number, tookMs: number): void {
    if (tookMs > SLOW_MS) this.#shrink();
    else if (sent >= this.most) this.most = Math.min(MOST, this.most * 2);
  }

  /** It may have been too large for the time a statement has. */
  unanswered(): void {
    this.#shrink();
  }

  #shrink(): void {
    this.most = Math.max(FEWEST, this.most >> 1);
  }
}

const RESOLUTION_MS = 100;

/** Of postings that are counted and leave in the order they came: when the oldest that waits has come, by a tenth of a second. */
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
