// Reads the catalogue's files from a directory: every `<owner>.json`, in name order, bounded in number and size.

import { readdir, readFile, stat } from 'node:fs/promises';
import type { Problem } from './problem.ts';

/** Beside `src` in the workspace and beside `dist` in the published package. */
export const SHIPPED_CATALOGUE = new URL('../../../catalogue/', import.meta.url);

const MAX_FILES = 500;
const MAX_FILE_BYTES = 8 * 1024 * 1024;

export interface RawFile {
  readonly file: string;
  readonly data: unknown;
}

export interface RawFiles {
  readonly files: readonly RawFile[];
  readonly problems: readonly Problem[];
}

const readOne = async (directory: URL, file: string): Promise<RawFile | Problem> => {
  const url = new URL(encodeURIComponent(file), directory);
  const { size } = await stat(url);
  if (size > MAX_FILE_BYTES) return { file, path: '', message: `is larger than ${MAX_FILE_BYTES} bytes` };
  try {
    return { file, data: JSON.parse(await readFile(url, 'utf8')) };
  } catch (error) {
    return { file, path: '', message: `is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
};

export const readCatalogueFiles = async (directory: URL): Promise<RawFiles> => {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.json')).sort();
  if (names.length > MAX_FILES) {
    return {
      files: [],
      problems: [{ file: directory.pathname, path: '', message: `holds more than ${MAX_FILES} files` }],
    };
  }
  if (names.length === 0) {
    return { files: [], problems: [{ file: directory.pathname, path: '', message: 'holds no catalogue file' }] };
  }
  const outcomes = await Promise.all(names.map((name) => readOne(directory, name)));
  return {
    files: outcomes.filter((outcome) => 'data' in outcome),
    problems: outcomes.filter((outcome) => 'message' in outcome),
  };
};
