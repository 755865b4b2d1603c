import { expect, test } from 'vitest';
import { ABSENT, type Member, Roster } from './roster.ts';

const memberNamed = (name: string): Member & { readonly name: string } => ({ seat: ABSENT, name });

function rosterOf(...names: readonly string[]) {
  const roster = new Roster<ReturnType<typeof memberNamed>>();
  const members = names.map(memberNamed);
  for (const member of members) roster.add(member);
  const present = (): string[] => {
    const seen: string[] = [];
    roster.visit(({ name }) => void seen.push(name));
    return seen.toSorted();
  };
  return { roster, members, present };
}

test('whoever joined and has not left is visited once, in whatever order they left', () => {
  const { roster, members, present } = rosterOf('a', 'b', 'c', 'd');
  roster.delete(members[1]!);
  roster.delete(members[3]!);
  expect(present()).toEqual(['a', 'c']);
  roster.add(members[3]!);
  roster.delete(members[0]!);
  expect(present()).toEqual(['c', 'd']);
  expect(roster.size).toBe(2);
});

test('joining twice is joining once, and leaving twice takes nobody else along', () => {
  const { roster, members, present } = rosterOf('a', 'b');
  roster.add(members[0]!);
  expect(roster.size).toBe(2);
  roster.delete(members[0]!);
  roster.delete(members[0]!);
  expect(present()).toEqual(['b']);
});

test('members may leave while they are visited, and nobody present is left out', () => {
  const { roster, members } = rosterOf('a', 'b', 'c', 'd');
  const seen: string[] = [];
  roster.visit((member) => {
    seen.push(member.name);
    roster.delete(member);
    if (member.name === 'c') roster.delete(members[0]!);
  });
  expect(seen).toEqual(['d', 'c', 'b']);
  expect(roster.size).toBe(0);
});

test('one who joins during a visit waits for the next', () => {
  const { roster, present } = rosterOf('a');
  const late = memberNamed('late');
  const seen: string[] = [];
  roster.visit((member) => {
    seen.push(member.name);
    roster.add(late);
  });
  expect(seen).toEqual(['a']);
  expect(present()).toEqual(['a', 'late']);
});
