/** What was looked at, and what was found wrong. */
export class Checks {
  readonly #passed: string[] = [];
  readonly #failed: string[] = [];

  is(what: string, actual: unknown, expected: unknown): void {
    const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
    this.holds(found === wanted ? what : `${what}: ${found}, not ${wanted}`, found === wanted);
  }

  holds(what: string, isTrue: boolean): void {
    (isTrue ? this.#passed : this.#failed).push(what);
    console.log(`${isTrue ? 'ok  ' : 'FAIL'} ${what}`);
  }

  get passed(): number {
    return this.#passed.length;
  }

  get failed(): readonly string[] {
    return this.#failed;
  }
}
