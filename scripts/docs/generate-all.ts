/** `npm run docs:generate`: regenerates every generated document; with `-- --check` it only reports which are stale. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

const here = new URL('.', import.meta.url).pathname;
const scripts = readdirSync(here).filter((file) => /^generate-.*\.ts$/.test(file) && file !== 'generate-all.ts');
for (const path of [...scripts.map((file) => `${here}${file}`), `${here}../generate-config-docs.ts`]) {
  const { status } = spawnSync(process.execPath, ['--conditions=trivium-source', path, ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
