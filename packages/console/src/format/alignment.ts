/** Pairs the entries of two lists: the longest common subsequence, and the entries between its members side by side. */
export type Pair = {
  /** Positions; undefined if this side has no counterpart. */
  readonly before: number | undefined;
  readonly after: number | undefined;
  readonly isSame: boolean;
};

/** Largest size of the table in cells; beyond it everything in the middle counts as changed. */
const MAX_CELLS = 4_000_000;

export function aligned(before: readonly string[], after: readonly string[]): readonly Pair[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const [rows, columns] = [before.length - head - tail, after.length - head - tail];
  const same = (at: number, to: number): Pair => ({ before: at, after: to, isSame: true });
  const pairs: Pair[] = Array.from({ length: head }, (_, at) => same(at, at));
  let [removed, added]: [number[], number[]] = [[], []];
  const flush = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++)
      pairs.push({ before: removed[at], after: added[at], isSame: false });
    [removed, added] = [[], []];
  };
  const lengths = commonLengths(before.slice(head, head + rows), after.slice(head, head + columns));
  let [row, column] = [0, 0];
  while (row < rows || column < columns) {
    if (row < rows && column < columns && lengths !== undefined && before[head + row] === after[head + column]) {
      flush();
      pairs.push(same(head + row++, head + column++));
    } else if (column === columns || (row < rows && isDown(lengths, columns, row, column))) removed.push(head + row++);
    else added.push(head + column++);
  }
  flush();
  for (let at = tail; at > 0; at--) pairs.push(same(before.length - at, after.length - at));
  return pairs;
}

const isDown = (lengths: Uint32Array | undefined, columns: number, row: number, column: number): boolean => {
  if (lengths === undefined) return true;
  const width = columns + 1;
  return (lengths[(row + 1) * width + column] ?? 0) >= (lengths[row * width + column + 1] ?? 0);
};

/** At [row, column]: length of the common subsequence from there on. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint32Array | undefined {
  const width = after.length + 1;
  if (before.length * width > MAX_CELLS) return undefined;
  const lengths = new Uint32Array((before.length + 1) * width);
  for (let row = before.length - 1; row >= 0; row--)
    for (let column = after.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        before[row] === after[column]
          ? (lengths[(row + 1) * width + column + 1] ?? 0) + 1
          : Math.max(lengths[(row + 1) * width + column] ?? 0, lengths[row * width + column + 1] ?? 0);
  return lengths;
}
