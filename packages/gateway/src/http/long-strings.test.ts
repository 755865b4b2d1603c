import { DEFAULT_JSON_BOUNDS } from '@trivium/protocol/framing';
import { describe, expect, test } from 'vitest';
import type { JsonText } from '../kernel/long-strings.ts';
import { JsonBody } from './body.ts';
import { PlainRanges } from './long-strings.ts';

const CHUNK_BYTES = 65_536;

/** Split as a socket does: each piece has its own memory. */
function read(text: string, pieceBytes = CHUNK_BYTES): JsonText {
  const bytes = Buffer.from(text);
  const body = new JsonBody(DEFAULT_JSON_BOUNDS, bytes.length, true);
  for (let at = 0; at < bytes.length; at += pieceBytes)
    body.take(Buffer.from(new Uint8Array(bytes.subarray(at, at + pieceBytes)).buffer));
  return body.end();
}

const base64 = (bytes: number): string =>
  Buffer.from(Uint8Array.from({ length: bytes }, (_, at) => (at * 31 + (at >> 8)) & 255)).toString('base64');
const LONG = base64(600_000);
const body = (...strings: readonly string[]): string =>
  JSON.stringify({ model: 'm', text: 'ünï 漢字', strings, last: true });

describe('long base64 strings', () => {
  test.each([7, 1_000, 16_384, CHUNK_BYTES, 10_000_000])(
    'are extracted, and restored as they were (%i)',
    (pieceBytes) => {
      const whole = body(LONG, 'short', base64(300_000));
      const { text, longStrings } = read(whole, pieceBytes);
      if (pieceBytes > whole.length) {
        // A body of one piece is no longer than one socket read, and nothing is extracted.
        expect({ text, longStrings }).toEqual({ text: whole });
        return;
      }
      expect(longStrings?.count).toBe(2);
      expect(text.length).toBeLessThan(250_000);
      expect(longStrings?.restore(text)).toBe(whole);
      expect(Buffer.concat(longStrings?.bytesOf(text) ?? []).toString()).toBe(whole);
    },
  );

  test('keep both ends and their length modulo 4 in the text', () => {
    for (const extra of ['', 'A', 'AB', 'ABC']) {
      const whole = `data:image/png;base64,${LONG}${extra}`;
      const { text } = read(body(whole));
      const [string = ''] = (JSON.parse(text) as { strings: string[] }).strings;
      expect(string.length).toBeGreaterThan(90_000);
      expect(string.length % 4).toBe(whole.length % 4);
      expect([string.slice(0, 50_000), string.slice(-10_000)]).toEqual([whole.slice(0, 50_000), whole.slice(-10_000)]);
    }
  });

  test.each([
    ['an escape', '\\n'],
    ['a control character', '\u0001'],
    ['a character that is not ASCII', 'é'],
    ['a digit for URLs', '_'],
    ['another digit for URLs', '-'],
  ])('with %s in them stay in the text', (_what, odd) => {
    const whole = `{"a":"${LONG.slice(0, 400_000)}${odd}${LONG.slice(400_000)}"}`;
    expect(read(whole)).toEqual({ text: whole });
  });

  test('are found in parts of other texts', () => {
    const { text, longStrings } = read(body(LONG));
    expect(longStrings?.isIn(text)).toBe(true);
    expect(longStrings?.isIn(text.slice(0, 1000))).toBe(false);
    const mark = text.slice(text.indexOf('"strings":["') + 12, text.lastIndexOf('"]'));
    expect(longStrings?.restore(`<${mark}><${mark}>`)).toBe(`<${LONG}><${LONG}>`);
  });
});

test('their memory is given back after the last release', () => {
  const { text, longStrings } = read(body(LONG));
  const piece = longStrings?.bytesOf(text).find(({ byteLength }) => byteLength === CHUNK_BYTES);
  longStrings?.hold();
  longStrings?.release();
  expect(piece?.byteLength).toBe(CHUNK_BYTES);
  longStrings?.release();
  expect(piece?.byteLength).toBe(0);
  expect(() => longStrings?.restore(text)).toThrow('has been released');
});

test('no text of a caller is taken for a placeholder', () => {
  const first = read(body(LONG));
  const { text, longStrings } = read(body(first.text, LONG));
  expect(longStrings?.restore(text)).toBe(body(first.text, LONG));
});

test('ranges known to be plain are merged, and cover what lies within one of them', () => {
  const plain = new PlainRanges();
  for (let at = 100; at < 200; at++) plain.add(at, at + 1);
  plain.add(300, 400);
  expect([plain.covers(100, 200), plain.covers(120, 130), plain.covers(300, 400)]).toEqual([true, true, true]);
  expect([plain.covers(99, 101), plain.covers(150, 201), plain.covers(150, 350), plain.covers(500, 501)]).toEqual(
    Array(4).fill(false),
  );
});
