/**
 * The built console, read once into memory: a request matches a file of this list or none, so no path leads out of the
 * folder.
 */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

export type ConsoleFile = {
  readonly type: string;
  readonly plain: Buffer;
  readonly br: Buffer | undefined;
  readonly gzip: Buffer | undefined;
};

/** By path below the folder, separated by `/`. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

const COMPRESSED = /\.(?:br|gz)$/;

/** Undefined: the console has not been built. */
export async function readConsoleFiles(folder: string): Promise<ConsoleFiles | undefined> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = new Map<string, Buffer>();
  for (const path of paths) contents.set(relative(folder, path).split(sep).join('/'), await readFile(path));
  if (!contents.has('index.html')) return undefined;
  return new Map(
    [...contents]
      .filter(([name]) => !COMPRESSED.test(name))
      .map(([name, plain]) => [
        name,
        {
          type: TYPES[extname(name)] ?? 'application/octet-stream',
          plain,
          br: contents.get(`${name}.br`),
          gzip: contents.get(`${name}.gz`),
        },
      ]),
  );
}
