/** Frames → SSE text. Data with several lines is written as several data lines. */
import type { Frame } from './frame.ts';

export function writeSse({ event, data }: Frame): string {
  const lines = data.includes('\n') ? data.replaceAll('\n', '\ndata: ') : data;
  return event === undefined ? `data: ${lines}\n\n` : `event: ${event}\ndata: ${lines}\n\n`;
}
