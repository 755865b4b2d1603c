/** Finished requests as server-sent events: `row`, and `gap` if some were left out. Limited for each viewer. */

import { systemTimer } from '../../kernel/clock.ts';
import type { RecordViewer } from '../../money/usage/record-feed.ts';
import { fits, type RecordFilter, type RecordRow } from '../../money/usage/record-query.ts';
import { AdminProblem } from '../api/problem.ts';
import { requestRow } from './request-views.ts';

/** Events that wait for a slow reader; further ones are left out, and reported as a gap. */
const MAX_WAITING = 500;
/** Proxies close idle connections. The viewer's permission is checked as often. */
const KEEP_ALIVE_MS = 15_000;

const GAP = 'event: gap\ndata: {}\n\n';
const KEEP_ALIVE = ': keep-alive\n\n';

const rowEvent = (row: RecordRow): string => `event: row\ndata: ${JSON.stringify(requestRow(row, undefined))}\n\n`;

export class LiveRequests implements AsyncIterableIterator<string>, RecordViewer {
  readonly #filter: RecordFilter;
  readonly #waiting: string[] = [KEEP_ALIVE];
  readonly #stopChecking: () => void;
  #isGap = false;
  #isOver = false;
  #wake: (() => void) | undefined;
  #onOver: () => void = () => undefined;

  constructor(filter: RecordFilter, requireStillPermitted: () => Promise<void>) {
    this.#filter = filter;
    this.#stopChecking = systemTimer.start(() => {
      if (this.#waiting.length === 0) this.#add(KEEP_ALIVE);
      requireStillPermitted().catch((error: unknown) => {
        if (error instanceof AdminProblem) this.#end();
      });
    }, KEEP_ALIVE_MS);
  }

  onOver(listener: () => void): void {
    this.#onOver = listener;
  }

  readonly row = (row: RecordRow): void => {
    if (!fits(row, this.#filter)) return;
    if (this.#waiting.length >= MAX_WAITING) this.gap();
    else this.#add(rowEvent(row));
  };

  /** Sent after the waiting events. */
  readonly gap = (): void => {
    this.#isGap = true;
    this.#wake?.();
  };

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    while (!this.#isOver) {
      if (this.#waiting.length > 0) return { done: false, value: this.#waiting.splice(0).join('') };
      if (this.#isGap) {
        this.#isGap = false;
        return { done: false, value: GAP };
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return { done: true, value: undefined };
  }

  /** The reader has disconnected. */
  async return(): Promise<IteratorResult<string, undefined>> {
    this.#end();
    return { done: true, value: undefined };
  }

  #end(): void {
    this.#isOver = true;
    this.#stopChecking();
    this.#onOver();
    this.#wake?.();
  }

  #add(text: string): void {
    this.#waiting.push(text);
    this.#wake?.();
  }
}
