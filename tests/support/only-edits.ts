/** Checks an edited JSON text against the list of edits, member by member on the raw text, without the code that applied them. */
import type { Edit } from '@trivium/protocol/dialects';
import { scanMembers } from '@trivium/protocol/framing';
import { expect } from 'vitest';

const DEPTH = 64;

export const rawMembers = (text: string): Map<string, string> =>
  new Map(scanMembers(text, DEPTH).map(({ name, valueStart, valueEnd }) => [name, text.slice(valueStart, valueEnd)]));

export function expectOnlyEdits(before: string, after: string, edits: readonly Edit[]): void {
  const [was, is] = [rawMembers(before), rawMembers(after)];
  const expected = new Map(was);
  for (const edit of edits) {
    const value = was.get(edit.name);
    if ('renameTo' in edit) {
      if (value === undefined) continue;
      expected.delete(edit.name);
      expected.set(edit.renameTo, value);
    } else if (edit.value === undefined) expected.delete(edit.name);
    else expected.set(edit.name, edit.value);
  }
  expect([...is].sort()).toEqual([...expected].sort());
  const named = new Set(edits.map(({ name }) => name));
  const kept = (members: Map<string, string>): string[] =>
    [...members.keys()].filter((name) => was.has(name) && !named.has(name));
  expect(kept(is)).toEqual(kept(was));
  JSON.parse(after);
}
