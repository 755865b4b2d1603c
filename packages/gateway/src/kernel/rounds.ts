/**
 * Work that repeats until it is stopped, never two rounds at once: the pause begins when a round has ended. A failure is
 * reported, and the next round runs all the same. The pauses do not keep the process alive.
 */
type RoundsOptions = {
  readonly run: () => Promise<unknown>;
  /** Asked before every pause, so that it may change. */
  readonly pauseMs: () => number;
  readonly onTrouble: (error: unknown) => void;
};

export class Rounds {
  readonly #options: RoundsOptions;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #isStarted = false;
  #isWoken = false;
  #isStopped = false;

  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** The first round runs after this long; 0: at once. */
  start(firstMs = this.#options.pauseMs()): void {
    if (this.#isStopped) return;
    this.#isStarted = true;
    if (firstMs === 0) void this.now();
    else this.#pause(firstMs);
  }

  /** A round at once; the next is due a pause later. While one runs, returns that one. */
  now(): Promise<void> {
    this.#round ??= this.#options
      .run()
      .then(() => undefined, this.#options.onTrouble)
      .finally(() => {
        this.#round = undefined;
        if (this.#isStarted) this.#pause(this.#isWoken ? 0 : this.#options.pauseMs());
      });
    return this.#round;
  }

  /** There is work: the pause ends now. A round that runs may have missed it, so another one follows at once. */
  wake(): void {
    if (this.#round !== undefined) this.#isWoken = true;
    else if (this.#isStarted) this.#pause(0);
  }

  /** Resolves when the running round has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#round;
  }

  #pause(ms: number): void {
    clearTimeout(this.#timer);
    this.#isWoken = false;
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.now(), ms).unref();
  }
}
