/**
 * `npm run try-as-user`: the product as a user gets it, from packed files. With `--registry` from a registry on this machine, to which
 * our packages are published: prints one line of JSON with `ok`.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromPackages } from './from-packages.ts';
import { fromRegistry } from './from-registry.ts';

const work = mkdtempSync(join(tmpdir(), 'as-user-'));
// PostgreSQL of root runs as another user, who must get there.
chmodSync(work, 0o755);
try {
  if (process.argv.includes('--registry')) {
    const report = await fromRegistry(work);
    console.log(JSON.stringify(report));
    if (!report.ok) process.exitCode = 1;
  } else await fromPackages(work);
} finally {
  rmSync(work, { recursive: true, force: true });
}
