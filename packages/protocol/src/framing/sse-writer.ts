/** Frames → SSE text. Data is one line of JSON in every dialect, so it is never split over lines. */
import type { Frame } from './frame.ts';

export const writeSse = (frame: Frame): string =>
  frame.event === undefined ? `data: ${frame.data}\n\n` : `event: ${frame.event}\ndata: ${frame.data}\n\n`;
