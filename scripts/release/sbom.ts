/**
 * `npm run sbom`: the bill of materials (CycloneDX) of what is published, from the lock file; `-- --base <image>@<digest>` for the image, which
 * has files of its base, too. npm leaves out what the root of a workspace
 * has as a development dependency even where a package needs it, so it gets a copy whose root has none.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = new URL('../../', import.meta.url).pathname;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
type Manifest = Record<string, unknown>;

const readJson = (path: string): Manifest => JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Manifest;

const published = ({
  devDependencies: _dev,
  optionalDependencies: _optional,
  private: _private,
  ...manifest
}: Manifest): Manifest => manifest;

export function billOfMaterials(): string {
  const work = mkdtempSync(join(tmpdir(), 'trivium-sbom-'));
  // npm names the bill after the folder.
  const folder = join(work, 'trivium');
  const write = (path: string, content: Manifest): void => writeFileSync(join(folder, path), JSON.stringify(content));
  try {
    for (const own of readdirSync(join(ROOT, 'packages'))) {
      mkdirSync(join(folder, 'packages', own), { recursive: true });
      write(`packages/${own}/package.json`, published(readJson(`packages/${own}/package.json`)));
    }
    const { name, version } = readJson('packages/cli/package.json');
    const lock = readJson('package-lock.json') as { packages: Record<string, Manifest> } & Manifest;
    write('package.json', { ...published(readJson('package.json')), name, version });
    write('package-lock.json', {
      ...lock,
      packages: { ...lock.packages, '': { ...published(lock.packages[''] ?? {}), name, version } },
    });
    return execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 100_000_000,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** The bill of an image: that of the packages in it, and the base that Node.js and its libraries come from. */
export function withBase(bill: string, base: string): string {
  const [name, digest] = base.split('@');
  if (digest === undefined || !DIGEST.test(digest)) throw new Error(`${base} has no digest`);
  const { components, ...more } = JSON.parse(bill) as { components: object[] };
  const container = { type: 'container', 'bom-ref': base, name, version: digest };
  return `${JSON.stringify({ ...more, components: [...components, container] }, null, 2)}\n`;
}

if (import.meta.main) {
  const { base } = parseArgs({ options: { base: { type: 'string' } } }).values;
  process.stdout.write(base === undefined ? billOfMaterials() : withBase(billOfMaterials(), base));
}
