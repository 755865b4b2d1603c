import { expect, test } from 'vitest';
import { CacheAffinity } from './cache-affinity.ts';

test('a host holds a prompt until its TTL ends, and the host that received it last holds it', () => {
  const holders = new CacheAffinity();
  holders.keep('prompt', 'east', 100);
  expect([holders.find('prompt', 99), holders.find('other', 99)]).toEqual(['east', undefined]);
  holders.keep('prompt', 'west', 200);
  expect(holders.find('prompt', 150)).toBe('west');
  expect(holders.find('prompt', 200)).toBeUndefined();
});

test('the oldest entry is evicted first, and storing a prompt again makes it the newest', () => {
  const holders = new CacheAffinity();
  holders.keep('first', 'east', 1);
  holders.keep('second', 'east', 1);
  for (let prompt = 2; prompt < 16_384; prompt++) holders.keep(`${prompt}`, 'east', 1);
  holders.keep('first', 'east', 1);
  holders.keep('one more', 'east', 1);
  expect([holders.find('first', 0), holders.find('second', 0), holders.find('one more', 0)]).toEqual([
    'east',
    undefined,
    'east',
  ]);
});
