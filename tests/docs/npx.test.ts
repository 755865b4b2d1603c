/** `npx trivium` fetches whatever the registry has under this name, unless it is installed: no page may lead there by chance. */
import { describe, expect, test } from 'vitest';
import { published } from '../../scripts/release/published.ts';
import { files, read } from './tree.ts';

const COMMENT = /<!--[\s\S]*?-->/g;
/** The way to it: a clone, an installation, or the page that has both. */
const WAY = /\bclone\b|npm install --(?:no-save --)?ignore-scripts|\]\([^)]*install\.md/;

const pages = files.filter(
  (file) => /^(?:\w+|docs\/(?!decisions\/).*)\.md$/.test(file) && read(file).includes('npx trivium'),
);

test('there are such pages', () => expect(pages.length).toBeGreaterThan(4));

describe.each(pages)('%s', (page) => {
  test('names the clone or the installation', () => expect(read(page).replaceAll(COMMENT, '')).toMatch(WAY));
  test('and does so once the packages are published', () =>
    expect(published(read(page)).replaceAll(COMMENT, '')).toMatch(WAY));
});
