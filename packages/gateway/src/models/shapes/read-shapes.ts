/** The known shapes of each format, from the files that `npm run shapes` writes. */
import { readFileSync } from 'node:fs';
import type { KnownShapes } from './known.ts';

const FOLDER = new URL('../../../shapes/', import.meta.url);

const read = new Map<string, KnownShapes | undefined>();

/** Undefined for formats of which none are known. */
export function knownShapesOf(dialect: string): KnownShapes | undefined {
  if (read.has(dialect)) return read.get(dialect);
  let shapes: KnownShapes | undefined;
  try {
    shapes = JSON.parse(readFileSync(new URL(`${dialect}.json`, FOLDER), 'utf8')) as KnownShapes;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  read.set(dialect, shapes);
  return shapes;
}
