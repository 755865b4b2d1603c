/**
 * Files that hosts have made and left behind a URL: they are paid for, so none is refused for want of room. Each waits for its
 * turn; no more of them wait than the requests under way have ordered.
 */
import type { FetchedMedia, MediaFetcher } from '../kernel/media.ts';

export class PatientFetcher implements MediaFetcher {
  readonly #fetcher: MediaFetcher;
  readonly #maxAtOnce: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(fetcher: MediaFetcher, maxAtOnce: number) {
    this.#fetcher = fetcher;
    this.#maxAtOnce = maxAtOnce;
  }

  async fetch(...file: Parameters<MediaFetcher['fetch']>): Promise<FetchedMedia> {
    if (this.#running < this.#maxAtOnce) this.#running++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await this.#fetcher.fetch(...file);
    } finally {
      const next = this.#waiting.shift();
      // The place goes from one to the next, so that nobody takes it in between.
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
