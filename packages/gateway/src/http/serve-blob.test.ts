import { expect, test } from 'vitest';
import { rangeIn } from './serve-blob.ts';

test.each([
  ['bytes=0-4', { first: 0, last: 4 }],
  ['bytes=5-', { first: 5, last: 9 }],
  ['bytes=5-99', { first: 5, last: 9 }],
  ['bytes=-3', { first: 7, last: 9 }],
  ['bytes=-99', { first: 0, last: 9 }],
  ['bytes=9-9', { first: 9, last: 9 }],
  ['bytes=10-', 'none'],
  ['bytes=-0', 'none'],
  ['bytes=-', 'all'],
  ['bytes=4-2', 'all'],
  ['bytes=0-1,3-4', 'all'],
  ['items=0-4', 'all'],
  ['bytes=1e1-', 'all'],
])('%s of ten bytes', (text, expected) => {
  expect(rangeIn(text, 10)).toEqual(expected);
});
