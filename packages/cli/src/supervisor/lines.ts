// Merges the output of several processes: only whole lines are written, so that lines never interleave.

import type { Readable } from 'node:stream';

/** A line without end is passed on in pieces of this length. */
const MAX_HELD_CHARACTERS = 1_048_576;

export function copyLines(from: Readable | null, write: (lines: string) => void): void {
  let held = '';
  from?.setEncoding('utf8');
  from?.on('data', (text: string) => {
    held += text;
    const end = held.lastIndexOf('\n') + 1;
    if (end === 0 && held.length < MAX_HELD_CHARACTERS) return;
    write(end === 0 ? held : held.slice(0, end));
    held = end === 0 ? '' : held.slice(end);
  });
  from?.on('end', () => {
    if (held !== '') write(`${held}\n`);
  });
}
