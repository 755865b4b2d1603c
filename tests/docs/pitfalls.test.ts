// The list of pitfalls is complete: every id once, in its place, with a test that carries it.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const PITFALLS = 48;
const COMPLAINTS = 15;

const listed = [
  ...readFileSync(new URL('docs/contribute/pitfalls.md', ROOT), 'utf8').matchAll(/^\| ([PA]\d+) \|/gm),
].map(([, id]) => id ?? '');
const tested = new Set(
  readdirSync(new URL('tests/pitfalls/', ROOT)).flatMap((file) =>
    [...readFileSync(new URL(`tests/pitfalls/${file}`, ROOT), 'utf8').matchAll(/\[([PA]\d+)\]/g)].map(([, id]) => id),
  ),
);

test('every pitfall and every complaint is listed exactly once', () => {
  const all = [
    ...Array.from({ length: PITFALLS }, (_, at) => `P${at + 1}`),
    ...Array.from({ length: COMPLAINTS }, (_, at) => `A${at + 1}`),
  ];
  expect([...listed].sort()).toEqual(all.sort());
});

test.each(listed)('%s has a test of its name', (id) => {
  expect(tested).toContain(id);
});

test('no test carries an id that is not listed', () => {
  expect([...tested].filter((id) => !listed.includes(id ?? ''))).toEqual([]);
});
