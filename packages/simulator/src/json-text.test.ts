// Repeated members and bad bytes are found; harmless look-alikes are not.
import { describe, expect, test } from 'vitest';
import { findRepeatedMember, parseJsonBytes } from './json-text.ts';

describe('findRepeatedMember', () => {
  test.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":{"b":1,"c":[{"d":1,"d":2}]}}', 'd'],
    ['{"a\\"":1,"a\\u0022":2}', 'a"'],
    ['{"x":[1,2],"x":0}', 'x'],
  ])('finds the repetition in %s', (text, name) => {
    expect(findRepeatedMember(text)).toBe(name);
  });

  test.each([
    '{"a":{"a":1},"b":[{"a":1},{"a":2}]}',
    '["a","a"]',
    '{"a":"a","b":"a\\\\"}',
    '{"a":"{\\"b\\":1,\\"b\\":2}"}',
    '1',
  ])('accepts %s', (text) => {
    expect(findRepeatedMember(text)).toBeUndefined();
  });
});

describe('parseJsonBytes', () => {
  test('refuses bytes that are not UTF-8', () => {
    expect(parseJsonBytes(Uint8Array.of(0x22, 0xff, 0x22))).toMatchObject({
      ok: false,
      problem: expect.stringContaining('UTF-8'),
    });
  });

  test('returns value and text', () => {
    expect(parseJsonBytes(Buffer.from('{"é":1}'))).toEqual({ ok: true, value: { é: 1 }, text: '{"é":1}' });
  });
});
