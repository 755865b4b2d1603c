/**
 * Most frames of a stream are alike: the same JSON around one piece of text. Once one frame has been parsed and
 * rewritten, similar frames are recognised by comparing what comes before and after the text, and rewritten without
 * parsing. The text between must be plain (no quote, backslash or control character), which proves that the frame is
 * valid JSON of the same shape.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings may not hold them, which is what is asked here
const PLAIN = /^[^"\\\u0000-\u001f]+$/;

export class LearntFrame {
  readonly #before: string;
  readonly #after: string;
  readonly #pieces: readonly string[];

  private constructor(before: string, after: string, pieces: readonly string[]) {
    this.#before = before;
    this.#after = after;
    this.#pieces = pieces;
  }

  /** Builds a template from a frame, its rewritten form and the text both contain; undefined if that is ambiguous. */
  static learn(source: string, rewritten: string, text: string, copies: number): LearntFrame | undefined {
    // If the frame contains an escape, the text could also occur escaped, and an apparent match could be something
    // else.
    if (!PLAIN.test(text) || source.includes('\\')) return undefined;
    const literal = `"${text}"`;
    const [before, after, ...more] = source.split(literal);
    const pieces = rewritten.split(literal);
    if (before === undefined || after === undefined || more.length > 0 || pieces.length !== copies + 1)
      return undefined;
    return new LearntFrame(`${before}"`, `"${after}`, pieces);
  }

  /** Length of the text in a frame that fits this template. */
  textLength(data: string): number {
    return data.length - this.#before.length - this.#after.length;
  }

  /** The rewritten frame, or undefined if the frame does not fit the template. */
  rewrite(data: string): string | undefined {
    if (!data.startsWith(this.#before) || !data.endsWith(this.#after)) return undefined;
    const end = data.length - this.#after.length;
    if (end <= this.#before.length) return undefined;
    const text = data.slice(this.#before.length, end);
    if (!PLAIN.test(text)) return undefined;
    const pieces = this.#pieces;
    let out = pieces[0] ?? '';
    for (let piece = 1; piece < pieces.length; piece++) out += `"${text}"${pieces[piece]}`;
    return out;
  }
}
