import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isPublished, PAGES, published } from './published.ts';

const read = (page: string): string => readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');

test('what is said until then gives way to what waits in the comment, and nothing else changes', () => {
  const text = 'One.\n<!-- Until published: -->\nClone it.\n<!-- Once published:\nInstall it.\n-->\nTwo.\n';
  expect(isPublished(text)).toBe(false);
  expect(published(text)).toBe('One.\nInstall it.\nTwo.\n');
  expect(published(published(text))).toBe(published(text));
  expect(() => published('<!-- Until published: -->\nClone it.\n')).toThrow('beginning without an end');
});

test.each(PAGES)('%s leads to a clone until then and to the registry from then on', (page) => {
  const now = read(page);
  const then = published(now);
  expect(isPublished(then)).toBe(true);
  expect(then).toMatch(/^(npx trivium dev|npm install --ignore-scripts trivium)$/m);
  expect(then).not.toMatch(/not on a registry yet|git clone/);
});

test('a README that is not published starts from a clone, and one that is needs none', () => {
  const readme = read('README.md');
  expect(published(readme)).toContain('npx trivium dev');
  if (!isPublished(readme)) expect(readme.replaceAll(/<!--[\s\S]*?-->/g, '')).toContain('git clone');
});
