/** What the readers of received bodies share: a lenient look at JSON, and turns put together. */
import type { Json, ReceivedTurn } from '../meaning.ts';

export const record = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
export const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.map(record) : []);
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
export const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

export const turn = (role: ReceivedTurn['role'], members: Partial<ReceivedTurn>): ReceivedTurn => ({
  role,
  text: '',
  thinking: '',
  media: [],
  calls: [],
  results: [],
  ...members,
});

/** Tool results and what the user says after them are one turn in some dialects and several in others. */
export function mergeTurns(turns: readonly ReceivedTurn[]): ReceivedTurn[] {
  const merged: ReceivedTurn[] = [];
  for (const next of turns) {
    const last = merged.at(-1);
    if (last?.role !== next.role) {
      merged.push(next);
      continue;
    }
    merged[merged.length - 1] = {
      role: last.role,
      text: [last.text, next.text].filter((one) => one !== '').join('\n'),
      thinking: last.thinking + next.thinking,
      media: [...last.media, ...next.media],
      calls: [...last.calls, ...next.calls],
      results: [...last.results, ...next.results],
    };
  }
  return merged;
}

/** `data:…;base64,XYZ` is XYZ; anything else is an address. */
export const mediaOf = (url: string): string => (url.startsWith('data:') ? (url.split(',').at(-1) ?? '') : url);

/** Marks for caching, wherever a body has them. */
export function countMembers(value: unknown, name: string): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countMembers(item, name), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, member]) => sum + (key === name && member !== null ? 1 : 0) + countMembers(member, name),
    0,
  );
}
