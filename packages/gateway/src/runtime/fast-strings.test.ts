import { setFlagsFromString } from 'node:v8';
import { expect, test } from 'vitest';
import { restoreFastStrings } from './fast-strings.ts';

setFlagsFromString('--allow-natives-syntax');
const isFast = new Function('return %HasFastProperties(String.prototype)') as () => boolean;

test('strings are quick again after a class has extended them', () => {
  // A dependency's class does the same.
  class Marked extends String {}
  expect(new Marked('a')).toHaveLength(1);
  // An engine that keeps them quick by itself needs none of this; then this line says so, and the file can go.
  expect(isFast()).toBe(false);
  restoreFastStrings();
  expect(isFast()).toBe(true);
});
