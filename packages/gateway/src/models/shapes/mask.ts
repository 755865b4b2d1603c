/** An answer without its content: names, types and words of the format stay, everything else is said by its type. */
import type { Json } from '@trivium/protocol/canonical';
import { wireWord } from './differences.ts';
import { type Known, letterOf, typeNames } from './known.ts';

const MAX_ITEMS = 8;

/** Without `known`, which is what is not known, only the type is left. */
export function masked(value: unknown, known: Known | undefined): Json {
  const letter = letterOf(value);
  if (letter === 'z' || letter === 'b') return value as boolean | null;
  if (letter === 'n') return 0;
  if (known === undefined || known.x !== undefined) return `<${typeNames(letter)}>`;
  if (letter === 's') {
    if (known.w?.includes(value as string)) return value as string;
    return known.w === undefined ? '<text>' : wireWord(value as string);
  }
  if (letter === 'a') return (value as readonly unknown[]).slice(0, MAX_ITEMS).map((item) => masked(item, known.i));
  const object = value as Readonly<Record<string, unknown>>;
  const { type } = object;
  const own = typeof type === 'string' && Object.hasOwn(known.v ?? {}, type) ? known.v?.[type] : known;
  const members = own?.m ?? {};
  return Object.fromEntries(
    Object.keys(object).map((name) => {
      const member = Object.hasOwn(members, name) ? members[name] : undefined;
      return [member === undefined ? wireWord(name) : name, masked(object[name], member)];
    }),
  );
}
