/** One SSE record or one array element: text without meaning. */
export type Frame = { readonly event?: string; readonly data: string };

/** A framing limit was passed, or the bytes are not in the framing at all. */
export class FramingError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FramingError';
  }
}
