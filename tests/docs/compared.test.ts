/** The comparison says nothing about another product without a source. */
import { describe, expect, test } from 'vitest';
import { tablesOf } from './markdown.ts';
import { read } from './tree.ts';

const page = read('docs/understand/compared.md');
const features = tablesOf(page).get('Features') ?? [];
const references = new Map([...page.matchAll(/^\[([\w-]+)\]: (\S+)$/gm)].map(([, name = '', url = '']) => [name, url]));
const namesIn = (text: string): string[] => [...text.matchAll(/\]\[([\w-]+)\]/g)].map(([, name = '']) => name);

/** Cells without a link; the page has to explain them. */
const WITHOUT_SOURCE = ['not stated', '–'];

test('the page explains each word that stands without a source', () => {
  const explained = [...page.matchAll(/"([^"]+)" means/g)].map(([, word = '']) => word.toLowerCase());
  expect(explained.sort()).toEqual([...WITHOUT_SOURCE].sort());
});

describe('every cell about another product has its source', () => {
  test('there are five other products in each row', () => {
    expect(features.length).toBeGreaterThan(10);
    expect(features.filter((row) => row.length !== 7)).toEqual([]);
  });

  test.each(features.map((row) => [row[0] ?? '', row.slice(2)] as const))('%s', (_feature, others) => {
    expect(others.filter((cell) => namesIn(cell).length === 0 && !WITHOUT_SOURCE.includes(cell))).toEqual([]);
  });
});

test('every reference is defined, used and a public address', () => {
  expect([...new Set(namesIn(page))].sort()).toEqual([...references.keys()].sort());
  expect([...references.values()].filter((url) => !url.startsWith('https://'))).toEqual([]);
});

test('README has the measured ratios of the page', () => {
  const measured = new Map(
    tablesOf(page)
      .get('What a call costs')
      ?.map(([name = '', , ratio = '']) => [name, ratio]),
  );
  const ratioOf = (product: string): string => [...measured].find(([name]) => name.startsWith(product))?.[1] ?? '';
  const [row] = (tablesOf(read('README.md')).get('Beside others') ?? []).filter(([what]) => what?.startsWith('CPU'));
  const [, trivium, litellm, portkey, newApi] = row ?? [];
  expect([trivium, portkey, newApi]).toEqual(['Trivium', 'Portkey', 'new-api'].map(ratioOf));
  // The least of those measured.
  expect(litellm).toBe(`${ratioOf('LiteLLM').split(' to ')[0]} and more`);
});
