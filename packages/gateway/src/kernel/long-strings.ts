/** Long strings of a body that stay the bytes they came in: a text with them set aside is a short text. */

/**
 * In the text a mark stands for the middle of each. Marks are digits of base64, made for one body, which its sender cannot
 * know, and as long as keeps the length of the string the same modulo 4.
 */
export interface LongStrings {
  readonly count: number;
  /** Whether it holds a mark. */
  isIn(text: string): boolean;
  /** The text with the strings in it. */
  restore(text: string): string;
  /** The same as UTF-8, without a copy of the strings: to be held until it is written. */
  bytesOf(text: string): readonly Uint8Array[];
  /** The request holds them from the start. After the last release their memory is given back at once, which spares the
   * collector of garbage a run for every few of them. */
  hold(): void;
  release(): void;
}

/** `longStrings`: absent where none was set aside. */
export type JsonText = { readonly text: string; readonly longStrings?: LongStrings };
