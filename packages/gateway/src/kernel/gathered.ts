/** Questions asked within a few milliseconds are asked together: one round trip for all of them. */

export type GatheredSettings = {
  readonly waitMs: number;
  /** For questions whose answers nothing waits for. */
  readonly idleWaitMs?: number;
  readonly mostInBatch: number;
  /** Batches under way at the same time. Questions beyond them wait for the next batch to be answered. */
  readonly mostUnderWay: number;
};

type Waiting<Question, Answer> = {
  readonly question: Question;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
};

export class Gathered<Question, Answer> {
  readonly #ask: (questions: readonly Question[]) => Promise<readonly Answer[]>;
  readonly #settings: GatheredSettings;
  #waiting: Waiting<Question, Answer>[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isUrgent = false;
  #underWay = 0;

  /** `ask` answers every question, in order. */
  constructor(ask: (questions: readonly Question[]) => Promise<readonly Answer[]>, settings: GatheredSettings) {
    this.#ask = ask;
    this.#settings = settings;
  }

  ask(question: Question, isUrgent = true): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, resolve, reject });
      if (this.#waiting.length >= this.#settings.mostInBatch) this.#send();
      else this.#sendSoon(isUrgent);
    });
  }

  #sendSoon(isUrgent: boolean): void {
    if (this.#timer !== undefined && (this.#isUrgent || !isUrgent)) return;
    clearTimeout(this.#timer);
    const { waitMs, idleWaitMs = waitMs } = this.#settings;
    this.#timer = setTimeout(() => this.#send(), isUrgent ? waitMs : idleWaitMs);
    this.#isUrgent = isUrgent;
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#waiting.length > 0 && this.#underWay < this.#settings.mostUnderWay) {
      const batch = this.#waiting.splice(0, this.#settings.mostInBatch);
      this.#underWay++;
      void this.#answer(batch).finally(() => {
        this.#underWay--;
        this.#send();
      });
    }
  }

  async #answer(batch: readonly Waiting<Question, Answer>[]): Promise<void> {
    try {
      const answers = await this.#ask(batch.map(({ question }) => question));
      if (answers.length !== batch.length) throw new Error(`${answers.length} answers to ${batch.length} questions`);
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
