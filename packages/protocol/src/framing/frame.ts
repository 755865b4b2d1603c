/** One SSE record or one array element: text that is not interpreted here. */
export type Frame = { readonly event?: string; readonly data: string };

/** The data exceeded a framing limit, or is not in the expected framing. */
export class FramingError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FramingError';
  }
}

// Frames → SSE text. Data with several lines is written as several data lines.

export function writeSse({ event, data }: Frame): string {
  const lines = data.includes('\n') ? data.replaceAll('\n', '\ndata: ') : data;
  return event === undefined ? `data: ${lines}\n\n` : `event: ${event}\ndata: ${lines}\n\n`;
}
