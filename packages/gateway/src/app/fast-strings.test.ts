/** In a separate process: what other tests have done to strings must not matter. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

const SCRIPT = `
  const { restoreFastStrings } = await import(process.argv[1]);
  const isFast = () => %HasFastProperties(String.prototype);
  // A dependency's class does the same.
  class Marked extends String {}
  new Marked('a');
  const before = isFast();
  restoreFastStrings();
  console.log(JSON.stringify({ before, after: isFast() }));
`;

test('string methods are fast again after a class has extended String', () => {
  const file = new URL('fast-strings.ts', import.meta.url).href;
  const args = ['--allow-natives-syntax', '--input-type=module', '--eval', SCRIPT, file];
  // An engine that keeps them fast by itself needs none of this; then `before` is true, and the file can be deleted.
  expect(JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))).toEqual({
    before: false,
    after: true,
  });
});
