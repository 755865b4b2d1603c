/** One SSE record or one array element: text that is not interpreted here. */
export type Frame = { readonly event?: string; readonly data: string };

/** The data exceeded a framing limit, or is not in the expected framing. */
export class FramingError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FramingError';
  }
}
