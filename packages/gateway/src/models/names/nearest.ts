/** The known names closest to a mistyped one. Names are bounded, so the cost is too. */

/** Longer names are cut before they are compared. */
const MAX_COMPARED = 64;
/** Longer words are not compared at all. */
const MAX_WORD = 256;
/** Two swapped letters count as two edits. */
const MIN_FOR_TWO_SLIPS = 4;

const fold = (text: string): string => text.toLowerCase().replaceAll(/[-_]/g, '').slice(0, MAX_COMPARED);

/** Levenshtein distance with one row of memory, of names in lower case without `-` and `_`. */
export const distance = (one: string, other: string): number => {
  const [a, b] = [fold(one), fold(other)];
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

/** The largest edit distance at which a word of this length still counts as a typo. */
export const allowedSlips = (word: string): number =>
  word.length < MIN_FOR_TWO_SLIPS ? 1 : Math.max(2, Math.floor(word.length / 3));

/** The closest first, at most `count`; of equally close ones the first known. Empty if none is close enough. */
export const nearest = (word: string, known: Iterable<string>, count: number): string[] => {
  if (word.length > MAX_WORD) return [];
  const allowed = allowedSlips(word);
  const near: { readonly name: string; readonly gap: number }[] = [];
  for (const name of known) {
    const gap = distance(word, name);
    if (gap <= allowed) near.push({ name, gap });
  }
  return near
    .sort((one, other) => one.gap - other.gap)
    .slice(0, count)
    .map(({ name }) => name);
};

export const closestTo = (word: string, known: Iterable<string>): string | undefined => nearest(word, known, 1)[0];

/** `max`, `Attempts` of `maxAttempts`. */
const partsOf = (name: string): readonly string[] => name.split(/(?=[A-Z])/);

/** A name of several words by its initials, or by a mistyped one of them: `rpm`, `atempts`. */
function byParts(word: string, known: Iterable<string>): string | undefined {
  const several = [...known].map((name) => ({ name, parts: partsOf(name) })).filter(({ parts }) => parts.length > 1);
  const initials = several.find(
    ({ parts }) =>
      parts
        .map((part) => part[0])
        .join('')
        .toLowerCase() === word.toLowerCase(),
  );
  if (initials !== undefined || word.length < MIN_FOR_TWO_SLIPS) return initials?.name;
  const close = closestTo(
    word,
    several.flatMap(({ parts }) => parts),
  );
  return close && several.find(({ parts }) => parts.includes(close))?.name;
}

export const suggestion = (word: string, known: readonly string[]): string => {
  const closest = closestTo(word, known) ?? byParts(word, known);
  return closest === undefined ? '' : `; did you mean "${closest}"?`;
};
