/** Long strings of a body that stay the bytes they came in, so that the rest is a short text. */

/**
 * In the text, a mark replaces the middle of each. Marks are base64 digits, random for each body, so that its sender
 * cannot know them, and keep the length of the string the same modulo 4.
 */
export interface LongStrings {
  readonly count: number;
  /** Whether the text contains a mark. */
  isIn(text: string): boolean;
  /** The text with the strings restored. */
  restore(text: string): string;
  /** The same as UTF-8, without a copy of the strings: `hold` until it is written. */
  bytesOf(text: string): readonly Uint8Array[];
  /**
   * Reference counting; the request starts with one reference. After the last release the memory is freed at once,
   * which saves garbage collections.
   */
  hold(): void;
  release(): void;
}

/** `longStrings`: absent if none was replaced. */
export type JsonText = { readonly text: string; readonly longStrings?: LongStrings };
