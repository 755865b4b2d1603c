import { expect, test } from 'vitest';
import { newBlobId } from './blob-id.ts';
import { BlobLinks } from './links.ts';

const NOW_MS = 1_763_200_000_000;
const id = newBlobId('acme', NOW_MS + 60_000);
const links = new BlobLinks(['first-key', 'second-key']);
const check = (link: string, at = links, nowMs = NOW_MS) => {
  const [linked = '', query] = link.split('?');
  return at.check(linked, new Map(new URLSearchParams(query)), nowMs);
};

test('a link works until it expires', () => {
  const link = links.sign(id, NOW_MS + 10_000);
  expect(check(link)).toBe('good');
  expect(check(link, links, NOW_MS + 10_000)).toBe('expired');
});

test('nothing in a link can be changed', () => {
  const link = links.sign(id, NOW_MS + 10_000);
  const other = links.sign(newBlobId('other', NOW_MS + 60_000), NOW_MS + 10_000);
  for (const forged of [
    link.replace(/expires=\d+/, (text) => `${text}0`),
    link.replace(/expires=/, 'expires=0'),
    link.replace(id, newBlobId('acme', NOW_MS + 60_000)),
    `${id}?${other.split('?')[1]}`,
    link.slice(0, -1),
    `${link}A`,
    link.replace(/signature=.*/, ''),
    id,
  ])
    expect(check(forged)).toBe('forged');
});

test('every key verifies and the first one signs, so that keys can be rotated', () => {
  const link = links.sign(id, NOW_MS + 10_000);
  expect(check(link, new BlobLinks(['newer', 'first-key']))).toBe('good');
  expect(check(link, new BlobLinks(['second-key']))).toBe('forged');
});
