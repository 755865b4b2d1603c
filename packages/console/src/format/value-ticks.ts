/** Where the axis of values has its lines: round numbers, and two at least where the values allow it. */

const ROUND = [1, 2, 5, 10];

const sizeOf = (value: number): number => 10 ** Math.floor(Math.log10(value));

const roundAtLeast = (value: number): number => {
  const size = sizeOf(value);
  return size * (ROUND.find((each) => each * size >= value * 0.999_999) ?? 10);
};

const roundAtMost = (value: number): number => {
  const size = sizeOf(value);
  return size * (ROUND.findLast((each) => each * size <= value * 1.000_001) ?? 1);
};

/** From zero on; about `count` above it. */
export function valueTicks(max: number, count: number): readonly number[] {
  if (!(max > 0)) return [0];
  const wanted = roundAtLeast(max / Math.max(1, count));
  const step = wanted > max ? roundAtMost(max) : wanted;
  return Array.from({ length: Math.floor((max / step) * 1.000_001) + 1 }, (_, at) =>
    Number((at * step).toPrecision(12)),
  );
}
