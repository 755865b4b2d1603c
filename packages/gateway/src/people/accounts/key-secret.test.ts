import { describe, expect, test } from 'vitest';
import { hashSecret, isWellFormed, newKeySecret, shownPrefix } from './key-secret.ts';

describe('secrets of keys', () => {
  test('hold 256 random bits and are recognised', () => {
    const secrets = Array.from({ length: 200 }, newKeySecret);
    expect(new Set(secrets).size).toBe(200);
    for (const secret of secrets) {
      expect(secret).toMatch(/^sk-trivium-[A-Za-z0-9_-]{49}$/);
      expect(isWellFormed(secret)).toBe(true);
    }
  });

  test('are not recognised when one character is wrong, missing or too many', () => {
    const secret = newKeySecret();
    for (let at = 0; at < secret.length; at++) {
      const other = secret[at] === 'A' ? 'B' : 'A';
      expect(isWellFormed(`${secret.slice(0, at)}${other}${secret.slice(at + 1)}`)).toBe(false);
    }
    for (const wrong of ['', secret.slice(1), `${secret}A`, `${secret}\n`, 'sk-trivium-', "' or 1=1 --"])
      expect(isWellFormed(wrong)).toBe(false);
  });

  test('show little, and are stored as their SHA-256', () => {
    const secret = newKeySecret();
    expect(shownPrefix(secret)).toBe(secret.slice(0, 19));
    expect(hashSecret('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
