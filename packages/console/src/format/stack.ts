/** Stacks several series: the top of each column. A gap adds nothing. */
export function stacked(series: readonly (readonly (number | null)[])[]): readonly (readonly number[])[] {
  const tops: number[][] = [];
  for (const values of series) {
    const below = tops.at(-1);
    tops.push(values.map((value, index) => (below?.[index] ?? 0) + (value ?? 0)));
  }
  return tops;
}
