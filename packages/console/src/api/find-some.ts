/** The first rows that fit, where the API has no filter for it: page after page, until there are enough to choose from. */
import type { Rows } from './use-list.ts';

const ENOUGH = 50;
const MAX_PAGES = 20;

export async function findSome<T>(
  read: (after: string | undefined) => Promise<Rows<T>>,
  fits: (row: T) => boolean,
): Promise<readonly T[]> {
  const found: T[] = [];
  let after: string | undefined;
  for (let pages = 0; pages < MAX_PAGES && found.length < ENOUGH; pages++) {
    const { items, next } = await read(after);
    found.push(...items.filter(fits));
    if (next === null) break;
    after = next;
  }
  return found;
}
