// Medians with their spread, and ratios of medians with the spread of the ratios round by round.

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  const lower = sorted.length % 2 === 1 ? upper : sorted[middle - 1];
  const min = sorted[0];
  const max = sorted.at(-1);
  if (upper === undefined || lower === undefined || min === undefined || max === undefined) {
    throw new Error('there is no median of nothing');
  }
  return { median: (lower + upper) / 2, min, max };
}

/** Values with the same index stem from the same round, so neighbours' noise hits both; min and max are of those pairs. */
export function ratioOf(numerators: readonly number[], denominators: readonly number[]): Spread {
  const pairs = numerators.flatMap((value, round) => {
    const other = denominators[round];
    return other === undefined ? [] : [value / other];
  });
  const { min, max } = spreadOf(pairs);
  return { median: spreadOf(numerators).median / spreadOf(denominators).median, min, max };
}
