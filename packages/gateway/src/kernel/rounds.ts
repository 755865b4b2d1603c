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
    const go = (): void => void this.now().finally(() => this.start());
    if (firstMs === 0) go();
    else this.#timer = setTimeout(go, firstMs).unref();
  }

  /** A round at once, besides those that are due. While one runs, returns that one. */
  now(): Promise<void> {
    this.#round ??= this.#options
      .run()
      .then(() => undefined, this.#options.onTrouble)
      .finally(() => {
        this.#round = undefined;
      });
    return this.#round;
  }

  /** Resolves when the running round has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#round;
  }
}
