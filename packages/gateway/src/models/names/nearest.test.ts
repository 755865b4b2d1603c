import { describe, expect, test } from 'vitest';
import { closestTo, nearest, suggestion } from './nearest.ts';

describe('closestTo', () => {
  const known = ['port', 'host', 'maxAttempts', 'baseUrl'];
  test.each([
    ['prot', 'port'],
    ['base_url', 'baseUrl'],
    ['maxAttemps', 'maxAttempts'],
    ['colour', undefined],
    ['x'.repeat(10_000), undefined],
  ])('%s', (word, expected) => {
    expect(closestTo(word, known)).toBe(expected);
  });
});

test('returns the closest first, and only those close enough', () => {
  const known = ['gpt-5.1', 'claude-opus-4-1', 'gpt-5', 'gpt-5-mini', 'gemini-2.5-pro'];
  expect(nearest('gpt-5-mni', known, 3)).toEqual(['gpt-5-mini', 'gpt-5.1', 'gpt-5']);
  expect(nearest('mistral-large', known, 3)).toEqual([]);
  expect(nearest('gpt-5', known, 1)).toEqual(['gpt-5']);
});

test.each([
  ['atempts', '; did you mean "maxAttempts"?'],
  ['rpm', '; did you mean "requestsPerMinute"?'],
  ['prot', '; did you mean "port"?'],
  ['of', ''],
  ['colour', ''],
])('suggests for %s a name of several words by its initials or one word', (word, text) => {
  expect(suggestion(word, ['port', 'maxAttempts', 'requestsPerMinute', 'backoffMs'])).toBe(text);
});
