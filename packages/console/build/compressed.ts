/** Writes `.br` and `.gz` beside every file that is served often, so that the gateway compresses nothing itself. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

const SHRINKS = /\.(?:js|css|svg|json)$/;

export const compressed = (): Plugin => ({
  name: 'trivium-compressed',
  apply: 'build',
  writeBundle({ dir }) {
    if (dir === undefined) return;
    for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((each) => SHRINKS.test(each))) {
      const bytes = readFileSync(join(dir, name));
      const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
      writeFileSync(join(dir, `${name}.br`), brotliCompressSync(bytes, { params }));
      writeFileSync(join(dir, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    }
  },
});
