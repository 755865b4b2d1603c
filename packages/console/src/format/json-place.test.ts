import { expect, test } from 'vitest';
import { placeIn } from './json-place.ts';

const TEXT = `{
  "env": { "A.B": "[", "C": "}" },
  "permissions": {
    "allow": ["Read", { "tool": "Bash" }, []],
    "deny": []
  },
  "model": "deny"
}`;
const found = (path: string): string => TEXT.slice(placeIn(TEXT, path)).split('\n')[0] ?? '';

test.each([
  ['env.A.B', '"A.B": "[", "C": "}" },'],
  ['env.C', '"C": "}" },'],
  ['permissions.allow.0', '"Read", { "tool": "Bash" }, []],'],
  ['permissions.allow.1.tool', '"tool": "Bash" }, []],'],
  ['permissions.allow.2', '[]],'],
  ['permissions.deny', '"deny": []'],
  ['model', '"model": "deny"'],
])('%s is found', (path, rest) => expect(found(path)).toBe(rest));

test('of a path that ends in nothing the last member that is there', () => {
  expect(found('permissions.deny.0')).toBe('"deny": []');
  expect(found('permissions.ask')).toBe('"permissions": {');
  expect(placeIn(TEXT, 'hooks')).toBe(0);
  expect(placeIn('no JSON, "at all', 'at')).toBe(0);
});
