import { DEFAULT_JSON_BOUNDS } from '@trivium/protocol/framing';
import { expect, test } from 'vitest';
import { JsonBody } from './body.ts';

const read = (chunks: readonly Buffer[], declaredBytes?: number): string => {
  const body = new JsonBody(DEFAULT_JSON_BOUNDS, declaredBytes);
  for (const chunk of chunks) body.take(chunk);
  return body.end().text;
};
const cut = (bytes: Buffer, pieceBytes: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, at) =>
    bytes.subarray(at * pieceBytes, (at + 1) * pieceBytes),
  );

test('the text is the same however it is split, with or without a declared length', () => {
  const text = JSON.stringify({ a: 'plain', b: 'ünï → 漢字 🎉'.repeat(40) });
  const bytes = Buffer.from(text);
  for (const pieceBytes of [1, 3, 100, bytes.length])
    for (const declared of [undefined, bytes.length]) expect(read(cut(bytes, pieceBytes), declared)).toBe(text);
  expect(read([])).toBe('');
});

test('bytes that are not UTF-8 are refused', () => {
  const bytes = Buffer.from([0x22, 0xff, 0x22]);
  expect(() => read([bytes])).toThrow('The request body is not valid UTF-8.');
  expect(() => read(cut(bytes, 1))).toThrow('The request body is not valid UTF-8.');
});

test('a body beyond a limit is refused before it is complete, and the error names the limit (S1)', () => {
  const body = new JsonBody(DEFAULT_JSON_BOUNDS, undefined);
  const members = Array.from({ length: 400_000 }, (_, at) => `"k${at}":"v"`).join();
  let taken = 0;
  expect(() => {
    for (const chunk of cut(Buffer.from(`{"metadata":{${members}}}`), 65_536)) {
      body.take(chunk);
      taken += chunk.length;
    }
  }).toThrow('The request body has an object with more than 10000 members (limits.jsonMembers).');
  expect(taken).toBeLessThan(200_000);
});
