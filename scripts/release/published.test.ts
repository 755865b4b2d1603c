import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isPublished, PAGES, published, START_PAGES } from './published.ts';

const read = (page: string): string => readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');

test('what is said until then gives way to what waits in the comment, and nothing else changes', () => {
  const text = 'One.\n<!-- Until published: -->\nClone it.\n<!-- Once published:\nInstall it.\n-->\nTwo.\n';
  expect(isPublished(text)).toBe(false);
  expect(published(text)).toBe('One.\nInstall it.\nTwo.\n');
  expect(published(published(text))).toBe(published(text));
  expect(() => published('<!-- Until published: -->\nClone it.\n')).toThrow('beginning without an end');
});

test.each(START_PAGES)('%s leads to the registry from then on', (page) => {
  expect(published(read(page))).toMatch(/^(npx trivium dev|npm install --ignore-scripts trivium)$/m);
});

test.each(PAGES)('%s says nothing of before from then on', (page) => {
  const then = published(read(page));
  expect(isPublished(then)).toBe(true);
  expect(then).not.toMatch(/not on a registry yet|git clone|no release yet/);
});

test('no other page says that there is no release', () => {
  const pages = readdirSync(new URL('../../docs', import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !path.startsWith('decisions'))
    .map((path) => `docs/${path}`);
  expect(pages.length).toBeGreaterThan(100);
  const before = pages.filter((page) => /no(?:t been a)? release yet|not on a registry yet/.test(read(page)));
  expect(before.filter((page) => !PAGES.includes(page))).toEqual([]);
});

test('a README that is not published starts from a clone, and one that is needs none', () => {
  const readme = read('README.md');
  expect(published(readme)).toContain('npx trivium dev');
  if (!isPublished(readme)) expect(readme.replaceAll(/<!--[\s\S]*?-->/g, '')).toContain('git clone');
});
