import { expect, test } from 'vitest';
import { BatchSize, WaitingSince } from './posting-pace.ts';

test('batches grow while they are full, up to a limit, and not after one that had room left', () => {
  const size = new BatchSize();
  size.answered(size.most - 1, 10);
  expect(size.most).toBe(256);
  for (let count = 0; count < 5; count++) size.answered(size.most, 10);
  expect(size.most).toBe(1024);
});

test('batches shrink when one was slow or got no answer, and never to nothing', () => {
  const size = new BatchSize();
  size.answered(256, 251);
  expect(size.most).toBe(128);
  for (let count = 0; count < 5; count++) size.unanswered();
  expect(size.most).toBe(64);
});

test('the age of the oldest waiting posting is exact to a tenth of a second', () => {
  const since = new WaitingSince();
  expect(since.ageMs(900)).toBe(0);
  since.pushed(3, 1_000);
  since.pushed(5, 1_050);
  since.pushed(9, 1_300);
  expect(since.ageMs(2_000)).toBe(1_000);
  since.posted(4);
  expect(since.ageMs(2_000)).toBe(1_000);
  since.posted(5);
  expect(since.ageMs(2_000)).toBe(700);
  since.posted(9);
  expect(since.ageMs(2_000)).toBe(0);
});
