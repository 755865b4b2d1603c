/** Limits on the size of a JSON text, and the counter that enforces them. */

export type JsonBounds = {
  /** Maximum nesting of objects and arrays. */
  readonly depth: number;
  readonly membersPerObject: number;
  readonly elementsPerArray: number;
  /** Values in the whole text, counted by its opening brackets and commas. */
  readonly values: number;
  /** Bytes of one string between its quotes, escapes as written. Checked on arriving bytes, not on text. */
  readonly stringBytes: number;
};

/**
 * Every protocol allows larger texts, but no agent needs them: 100,000 messages with several blocks each are within
 * these bounds.
 */
export const DEFAULT_JSON_BOUNDS: JsonBounds = {
  depth: 64,
  membersPerObject: 10_000,
  elementsPerArray: 200_000,
  values: 1_500_000,
  stringBytes: 33_554_432,
};

const OBJECT = 0x7b;

/** Receives every bracket and comma outside strings, in order; throws at the first that exceeds a bound. */
export class JsonTally {
  readonly #bounds: JsonBounds;
  /** For each enclosing container: how many more commas it may have. */
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

  /** `code`: the character code of the bracket, `{` or `[`. */
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

  /** An unmatched closing bracket is left to the parser to reject. */
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

// The ways in which the shape of a JSON text can be invalid, independent of its meaning.

export type JsonProblem =
  | 'not-json'
  | 'not-an-object'
  | 'too-deep'
  | 'too-many-members'
  | 'too-many-elements'
  | 'too-many-values'
  | 'string-too-long'
  | 'duplicate-member'
  | 'forbidden-member';

export class JsonShapeError extends Error {
  readonly problem: JsonProblem;
  readonly member: string | undefined;
  /** The value of the bound that was exceeded, if one was. */
  readonly bound: number | undefined;
  constructor(problem: JsonProblem, member?: string, bound?: number) {
    super(member === undefined ? problem : `${problem}: ${member}`);
    this.name = 'JsonShapeError';
    this.problem = problem;
    this.member = member;
    this.bound = bound;
  }
}

// Counts a JSON text as its bytes arrive, in pieces cut anywhere, and throws at the first byte that exceeds a bound. It
// enforces bounds, not validity: everything `JSON.parse` builds before it finds a syntax error has been counted here.

const QUOTE = 34;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** Up to this length a string is read byte by byte; beyond, a search for its end costs less than it saves. */
const SHORT_STRING_BYTES = 48;

/** Position of a string in a text, in bytes, without its quotes. */
export type StringPlace = { readonly start: number; readonly end: number };

export class JsonCounter {
  /** Strings of at least `longBytes`, in order. */
  readonly longStrings: StringPlace[] = [];
  readonly #tally: JsonTally;
  readonly #maxStringBytes: number;
  readonly #longBytes: number;
  /** Bytes of all earlier pieces. */
  #bytesBefore = 0;
  #inString = false;
  /** The previous piece ended with the backslash of an escape. */
  #escaped = false;
  #stringBytes = 0;

  constructor(bounds: JsonBounds, longBytes = Number.POSITIVE_INFINITY) {
    this.#tally = new JsonTally(bounds);
    this.#maxStringBytes = bounds.stringBytes;
    this.#longBytes = longBytes;
  }

  /** Bytes of the string that has started and not ended; 0 if there is none. */
  get openStringBytes(): number {
    return this.#inString ? this.#stringBytes : 0;
  }

  feed(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const tally = this.#tally;
    let at = this.#inString ? this.#passString(bytes, 0) : 0;
    while (at < bytes.length) {
      const code = bytes[at++]!;
      // Digits, colons, signs and points: most of the characters between strings.
      if (code > COMMA && code < OPEN_ARRAY) continue;
      if (code === QUOTE) {
        this.#inString = true;
        this.#stringBytes = 0;
        at = this.#passString(bytes, at);
      } else if (code === COMMA) tally.comma();
      else if (code === OPEN_OBJECT || code === OPEN_ARRAY) tally.open(code);
      else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) tally.close();
    }
    this.#bytesBefore += bytes.length;
  }

  /** Advances from inside a string to after its closing quote, or to the end of the piece. */
  #passString(bytes: Uint8Array, from: number): number {
    const quote = this.#closingQuote(bytes, from);
    const end = quote === -1 ? bytes.length : quote;
    this.#stringBytes += end - from;
    if (this.#stringBytes > this.#maxStringBytes)
      throw new JsonShapeError('string-too-long', undefined, this.#maxStringBytes);
    this.#inString = quote === -1;
    if (quote !== -1 && this.#stringBytes >= this.#longBytes) {
      const after = this.#bytesBefore + end;
      this.longStrings.push({ start: after - this.#stringBytes, end: after });
    }
    return quote === -1 ? end : end + 1;
  }

  #closingQuote(bytes: Uint8Array, from: number): number {
    let at = from;
    if (this.#escaped) {
      this.#escaped = false;
      at++;
    }
    while (at < bytes.length) {
      for (const stepEnd = Math.min(bytes.length, at + SHORT_STRING_BYTES); at < stepEnd; at++) {
        const code = bytes[at];
        if (code === QUOTE) return at;
        if (code === BACKSLASH) at++;
      }
      if (at >= bytes.length) break;
      const quote = bytes.indexOf(QUOTE, at);
      const isEscaped = slashesBefore(bytes, quote === -1 ? bytes.length : quote, at) % 2 === 1;
      if (quote === -1) {
        this.#escaped = isEscaped;
        return -1;
      }
      if (!isEscaped) return quote;
      at = quote + 1;
    }
    // The escape extends beyond the end: its second half comes with the next piece.
    this.#escaped = at > bytes.length;
    return -1;
  }
}

function slashesBefore(bytes: Uint8Array, end: number, start: number): number {
  let at = end;
  while (at > start && bytes[at - 1] === BACKSLASH) at--;
  return end - at;
}
