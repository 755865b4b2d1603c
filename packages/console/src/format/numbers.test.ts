import { expect, test } from 'vitest';
import { formatBytes, formatDuration, formatShare, formatTokens } from './numbers.ts';

test.each([
  [0, '0'],
  [1234, '1,234'],
  [9999, '9,999'],
  [12_340, '12.3k'],
  [999_949, '999.9k'],
  [999_950, '1M'],
  [1_234_567, '1.2M'],
  [2_500_000_000, '2.5B'],
])('formatTokens writes %d as %s', (count, shown) => expect(formatTokens(count)).toBe(shown));

test.each([
  [0, '0 ms'],
  [640.4, '640 ms'],
  [999.6, '1.00 s'],
  [3420, '3.42 s'],
  [59_996, '1 m 00 s'],
  [125_000, '2 m 05 s'],
  [12_000_000, '3 h 20 m'],
  [183_600_000, '2 d 03 h'],
])('formatDuration writes %d ms as %s', (ms, shown) => expect(formatDuration(ms)).toBe(shown));

test.each([
  [0, '0 %'],
  [0.0042, '0.42 %'],
  [0.00001, '< 0.01 %'],
  [0.021, '2.1 %'],
  [0.384, '38 %'],
  [1, '100 %'],
])('formatShare writes %d as %s', (share, shown) => expect(formatShare(share)).toBe(shown));

test.each([
  [12, '12 B'],
  [1240, '1.2 KB'],
  [412_000, '412 KB'],
  [5_300_000, '5.3 MB'],
])('formatBytes writes %d as %s', (bytes, shown) => expect(formatBytes(bytes)).toBe(shown));
