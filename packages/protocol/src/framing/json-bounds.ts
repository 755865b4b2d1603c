/** How large a JSON text may be in every direction that costs its reader, and the count that holds a text against it. */
import { JsonShapeError } from './json-shape-error.ts';

export type JsonBounds = {
  /** Objects and arrays inside each other. */
  readonly depth: number;
  readonly membersPerObject: number;
  readonly elementsPerArray: number;
  /** Of the whole text, counted by its opening brackets and its commas. */
  readonly values: number;
  /** Of one string between its quotes, as it is written. Counted where bytes arrive, not on text. */
  readonly stringBytes: number;
};

/** What no agent needs, and every protocol allows: 100,000 messages with several blocks each are within it. */
export const DEFAULT_JSON_BOUNDS: JsonBounds = {
  depth: 64,
  membersPerObject: 10_000,
  elementsPerArray: 200_000,
  values: 1_500_000,
  stringBytes: 33_554_432,
};

const OBJECT = 0x7b;

/** Told of every bracket and comma outside strings, in order; throws at the first that is one too many. */
export class JsonTally {
  readonly #bounds: JsonBounds;
  /** For each container around the current one: how many commas it may still have. */
  readonly #outer: number[] = [];
  readonly #outerIsObject: boolean[] = [];
  #depth = 0;
  #isObject = false;
  #commasLeft = Number.POSITIVE_INFINITY;
  #valuesLeft: number;

  constructor(bounds: JsonBounds) {
    this.#bounds = bounds;
    this.#valuesLeft = bounds.values;
  }

  /** `code`: of the bracket, `{` or `[`. */
  open(code: number): void {
    const { depth, membersPerObject, elementsPerArray } = this.#bounds;
    if (this.#depth === depth) throw new JsonShapeError('too-deep', undefined, depth);
    this.#outer[this.#depth] = this.#commasLeft;
    this.#outerIsObject[this.#depth] = this.#isObject;
    this.#depth++;
    this.#isObject = code === OBJECT;
    this.#commasLeft = (this.#isObject ? membersPerObject : elementsPerArray) - 1;
    this.#countValue();
  }

  comma(): void {
    if (this.#commasLeft-- <= 0) throw this.#tooMany();
    this.#countValue();
  }

  /** A bracket that closes nothing is no JSON, which its parser says. */
  close(): void {
    if (this.#depth === 0) return;
    this.#depth--;
    this.#commasLeft = this.#outer[this.#depth]!;
    this.#isObject = this.#outerIsObject[this.#depth]!;
  }

  #countValue(): void {
    if (this.#valuesLeft-- <= 0) throw new JsonShapeError('too-many-values', undefined, this.#bounds.values);
  }

  #tooMany(): JsonShapeError {
    const { membersPerObject, elementsPerArray } = this.#bounds;
    return this.#isObject
      ? new JsonShapeError('too-many-members', undefined, membersPerObject)
      : new JsonShapeError('too-many-elements', undefined, elementsPerArray);
  }
}
