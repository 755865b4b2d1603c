import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { displayUsd, formatPicoUsd, MAX_PRICE_USD, parsePicoUsd } from './usd.ts';

const PICO = 10n ** 12n;
const maxPico = MAX_PRICE_USD * PICO;

const parsed = (text: string): bigint => {
  const price = parsePicoUsd(text);
  if (!price.ok) throw new Error(`${text} ${price.message}`);
  return price.picoUsd;
};

describe('exact prices', () => {
  test('parses a few known amounts', () => {
    expect(parsed('0')).toBe(0n);
    expect(parsed('0.1')).toBe(100_000_000_000n);
    expect(parsed('0.234375')).toBe(234_375_000_000n);
    expect(parsed('0.000000000001')).toBe(1n);
    expect(parsed('75')).toBe(75n * PICO);
    expect(formatPicoUsd(1n)).toBe('0.000000000001');
    expect(formatPicoUsd(18_750_000_000_000n)).toBe('18.75');
  });

  test('parses every amount it can format', () => {
    fc.assert(fc.property(fc.bigInt({ min: 0n, max: maxPico }), (pico) => parsed(formatPicoUsd(pico)) === pico));
  });

  test('reads digits exactly: decimal to pico to decimal keeps everything but trailing zeros', () => {
    const digits = (max: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: max });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99_999 }), digits(12), (whole, fraction) => {
        const text = fraction === '' ? `${whole}` : `${whole}.${fraction}`;
        const trimmed = fraction.replace(/0+$/, '');
        expect(formatPicoUsd(parsed(text))).toBe(trimmed === '' ? `${whole}` : `${whole}.${trimmed}`);
      }),
    );
  });

  test('adds without drift where floats drift', () => {
    expect(parsed('0.1') + parsed('0.2')).toBe(parsed('0.3'));
  });

  test.each([
    '',
    '.5',
    '5.',
    '-1',
    '+1',
    '1e3',
    '01',
    ' 1',
    '1,5',
    'NaN',
    '1.0000000000001',
    '100000.01',
    '9'.repeat(40),
  ])('refuses %j', (text) => {
    expect(parsePicoUsd(text).ok).toBe(false);
  });

  test('shows the same digits in a JSON list', () => {
    expect(JSON.stringify(displayUsd(parsed('0.234375')))).toBe('0.234375');
    expect(JSON.stringify(displayUsd(parsed('0')))).toBe('0');
  });
});
