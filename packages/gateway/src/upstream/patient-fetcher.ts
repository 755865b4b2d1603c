/**
 * Downloads results that hosts return as URLs: they are paid for, so none is refused because of load. Each one queues;
 * the queue is bounded by the results that the running requests have ordered.
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
      // The slot is passed on directly, so that no new request can take it in between.
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
