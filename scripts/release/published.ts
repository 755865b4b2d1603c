/**
 * `npm run release:published`: README and pages say how to get the product from a clone until its packages can be had, and hold in a comment
 * what they say from then on. This puts the second in place of the first.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a reader starts. */
export const START_PAGES = ['README.md', 'docs/start/install.md', 'docs/start/five-minutes.md'];
export const PAGES = [
  ...START_PAGES,
  'SECURITY.md',
  'docs/operate/apply.md',
  'docs/reference/promises.md',
  'docs/start/faq.md',
  'docs/understand/compared.md',
];
const PASSAGE = /<!-- Until published: -->\n([\s\S]*?)<!-- Once published:\n([\s\S]*?)-->\n/g;

export const isPublished = (text: string): boolean => text.search(PASSAGE) < 0;

export function published(text: string): string {
  const changed = text.replaceAll(PASSAGE, (_all, _until, once: string) => once);
  if (/Until published|Once published/.test(changed)) throw new Error('a passage has a beginning without an end');
  return changed;
}

if (import.meta.main)
  for (const page of PAGES) {
    const file = join(import.meta.dirname, '../..', page);
    writeFileSync(file, published(readFileSync(file, 'utf8')));
  }
