/** pocketsphinx, with the model of American English in its package: one recording after another. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { withFile } from './media.ts';

const HEAR = fileURLToPath(new URL('hear.py', import.meta.url));

export type Word = { readonly word: string; readonly start: number; readonly end: number };
export type Ear = { hear(samples: Buffer): Promise<readonly Word[]>; close(): void };

export function openEar(folder: string): Ear {
  const child = spawn(join(folder, 'venv/bin/python'), ['-B', HEAR], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let last: Promise<unknown> = Promise.resolve();
  const hear = (samples: Buffer): Promise<readonly Word[]> =>
    withFile(samples, async (path) => {
      child.stdin.write(`${path}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error('the recogniser has ended');
      return JSON.parse(value) as Word[];
    });
  return {
    hear: (samples) => {
      const heard = last.then(() => hear(samples));
      last = heard.catch(() => {});
      return heard;
    },
    close: () => child.stdin.end(),
  };
}
