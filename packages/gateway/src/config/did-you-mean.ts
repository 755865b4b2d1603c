// The known word closest to a mistyped one, if any is close enough to be meant.

const MAX_WORD = 64;
/** Two letters swapped count as two slips. */
const MIN_FOR_TWO_SLIPS = 4;

/** Levenshtein distance with one row of memory; words are bounded, so the cost is too. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
};

export const closestTo = (word: string, known: readonly string[]): string | undefined => {
  if (word.length > MAX_WORD) return undefined;
  const allowed = word.length < MIN_FOR_TWO_SLIPS ? 1 : Math.max(2, Math.floor(word.length / 3));
  const fold = (text: string): string => text.toLowerCase().replaceAll(/[-_]/g, '');
  let best: { readonly name: string; readonly gap: number } | undefined;
  for (const name of known) {
    const gap = distance(fold(word), fold(name));
    if (gap <= allowed && gap < (best?.gap ?? Number.POSITIVE_INFINITY)) best = { name, gap };
  }
  return best?.name;
};

export const suggestion = (word: string, known: readonly string[]): string => {
  const closest = closestTo(word, known);
  return closest === undefined ? '' : `; did you mean "${closest}"?`;
};
