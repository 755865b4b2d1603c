import { expect, test } from 'vitest';
import { ABSENT, SwapList, type SwapListMember } from './timeouts.ts';

const memberNamed = (name: string): SwapListMember & { readonly name: string } => ({ index: ABSENT, name });

function listOf(...names: readonly string[]) {
  const list = new SwapList<ReturnType<typeof memberNamed>>();
  const members = names.map(memberNamed);
  for (const member of members) list.add(member);
  const present = (): string[] => {
    const seen: string[] = [];
    list.visit(({ name }) => void seen.push(name));
    return seen.toSorted();
  };
  return { list, members, present };
}

test('every present member is visited once, in whatever order others left', () => {
  const { list, members, present } = listOf('a', 'b', 'c', 'd');
  list.delete(members[1]!);
  list.delete(members[3]!);
  expect(present()).toEqual(['a', 'c']);
  list.add(members[3]!);
  list.delete(members[0]!);
  expect(present()).toEqual(['c', 'd']);
  expect(list.size).toBe(2);
});

test('adding a member twice adds it once, and removing it twice removes no other', () => {
  const { list, members, present } = listOf('a', 'b');
  list.add(members[0]!);
  expect(list.size).toBe(2);
  list.delete(members[0]!);
  list.delete(members[0]!);
  expect(present()).toEqual(['b']);
});

test('members may leave during a visit, and no present member is skipped', () => {
  const { list, members } = listOf('a', 'b', 'c', 'd');
  const seen: string[] = [];
  list.visit((member) => {
    seen.push(member.name);
    list.delete(member);
    if (member.name === 'c') list.delete(members[0]!);
  });
  expect(seen).toEqual(['d', 'c', 'b']);
  expect(list.size).toBe(0);
});

test('a member that joins during a visit is visited by the next one', () => {
  const { list, present } = listOf('a');
  const late = memberNamed('late');
  const seen: string[] = [];
  list.visit((member) => {
    seen.push(member.name);
    list.add(late);
  });
  expect(seen).toEqual(['a']);
  expect(present()).toEqual(['a', 'late']);
});
