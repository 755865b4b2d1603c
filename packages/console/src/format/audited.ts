/** What an entry of the audit log set, and what was there before. */

type Detail = Readonly<Record<string, unknown>>;

export type Sides = {
  /** Undefined: nothing was there, or the entry does not tell. */
  readonly before: Detail | undefined;
  readonly after: Detail;
};

export function sidesOf({ before, ...after }: Detail): Sides {
  const was = typeof before === 'object' && before !== null ? (before as Detail) : undefined;
  return { before: was, after };
}

const textOf = (value: unknown): string =>
  value === null || value === undefined ? '–' : typeof value === 'object' ? JSON.stringify(value) : String(value);

/** Members that are as they were are left out. */
export function changeText(detail: Detail): string {
  const { before, after } = sidesOf(detail);
  const names = [...new Set([...Object.keys(after), ...Object.keys(before ?? {})])];
  return names
    .flatMap((name) => {
      const now = textOf(after[name]);
      if (before === undefined) return now === '–' ? [] : [`${name}: ${now}`];
      const was = textOf(before[name]);
      return was === now ? [] : [`${name}: ${was} → ${now}`];
    })
    .join(' · ');
}
