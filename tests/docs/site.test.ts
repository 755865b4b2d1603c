/** The map of the documentation is complete, and readers' questions have their answers where the list says; the built site is `npm run docs:check`. */
import { describe, expect, test } from 'vitest';
import { MAP, PAGES, sourceOf, unmappedPages } from '../../docs/.vitepress/map.ts';
import { QUESTIONS, TERMS } from '../../scripts/docs/site/questions.ts';
import { SEARCHES } from '../../scripts/docs/site/searches.ts';
import { anchorsOf, codeSpansOf } from './markdown.ts';
import { exists, files, read } from './tree.ts';

describe('the map', () => {
  test('has a place for every page', () => {
    expect(
      unmappedPages().map((file) => `${file} has no place in docs/map.yaml: add it there with a description`),
    ).toEqual([]);
  });
  test('names every page once, and only pages that exist', () => {
    const paths = PAGES.map(({ path }) => path);
    expect(paths.filter((path, at) => paths.indexOf(path) !== at)).toEqual([]);
    expect(paths.filter((path) => !exists(sourceOf(path)))).toEqual([]);
    expect(MAP.length).toBe(7);
  });
  test.each(PAGES)('$path has a title and a description of at most 150 characters', ({ title, about }) => {
    expect(title).not.toBe('');
    expect(about.length).toBeGreaterThan(10);
    expect(about.length).toBeLessThanOrEqual(150);
  });
});

describe('readers’ questions', () => {
  test('there are forty, and twenty terms of the field', () => {
    expect(QUESTIONS.length).toBe(40);
    expect(TERMS.length).toBe(20);
  });
  test.each(QUESTIONS)('$asks', ({ page, anchor }) => {
    const source = sourceOf(page.replace(/^decisions\/index$/, 'decisions/README'));
    expect(exists(source)).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(read(source))).toContain(anchor);
  });
});

test('the page of headers names every header of the gateway, and no other of its own', () => {
  const sources = files.filter((file) => /^packages\/gateway\/src\/.*\.ts$/.test(file) && !file.includes('.test.'));
  const inCode = new Set(sources.flatMap((file) => read(file).match(/\bx-trivium-[a-z-]+[a-z]/g) ?? []));
  const onPage = new Set(
    codeSpansOf(read('docs/reference/headers.md')).filter((span) => span.startsWith('x-trivium-')),
  );
  expect([...onPage].sort()).toEqual([...inCode].sort());
});

test('the site and the README have the logo of the console', () => {
  expect(read('docs/public/logo.svg')).toBe(read('packages/console/public/icon.svg'));
  expect(read('README.md')).toContain('docs/public/logo.svg');
  const [, accent] = /--accent: light-dark\((#\w+)/.exec(read('packages/console/src/app/tokens.css')) ?? [];
  expect(read('docs/.vitepress/theme/style.css')).toContain(`--vp-c-brand-1: ${accent};`);
});

describe('what readers type into the search box', () => {
  test('there are thirty, and the pages that answer exist', () => {
    expect(SEARCHES.length).toBe(30);
    const missing = SEARCHES.flatMap(([, ...pages]) => pages).filter((page) => !exists(sourceOf(page)));
    expect(missing).toEqual([]);
  });
});
