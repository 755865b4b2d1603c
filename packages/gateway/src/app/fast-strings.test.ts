/** In a process of its own: what other tests have done to strings must not decide. */
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

test('strings are quick again after a class has extended them', () => {
  const file = new URL('fast-strings.ts', import.meta.url).href;
  const args = ['--allow-natives-syntax', '--input-type=module', '--eval', SCRIPT, file];
  // An engine that keeps them quick by itself needs none of this; then `before` says so, and the file can go.
  expect(JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))).toEqual({
    before: false,
    after: true,
  });
});
