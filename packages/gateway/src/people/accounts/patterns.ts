// Names with an optional trailing `*`, as keys list models and losses: `openai/gpt-4o`, `openai/*`.

export type Matches = (name: string) => boolean;

const ALL: Matches = () => true;

/** Without a list: everything. An entry with a trailing `*` matches every name with that prefix. */
export const matcher = (patterns: readonly string[] | undefined): Matches => {
  if (patterns === undefined) return ALL;
  const exact = new Set(patterns.filter((pattern) => !pattern.endsWith('*')));
  const prefixes = patterns.filter((pattern) => pattern.endsWith('*')).map((pattern) => pattern.slice(0, -1));
  return (name) => exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
};

/** Whether `outer` matches every name that `inner` matches. */
const covers = (outer: string, inner: string): boolean =>
  outer.endsWith('*') ? inner.startsWith(outer.slice(0, -1)) : outer === inner;

/** Matches what both match: of two patterns that overlap, one covers the other. */
export const commonPatterns = (one: readonly string[], other: readonly string[]): readonly string[] => [
  ...one.filter((pattern) => other.some((wider) => covers(wider, pattern))),
  ...other.filter((pattern) => one.some((wider) => wider !== pattern && covers(wider, pattern))),
];

/** Sound, not complete: does not see that two patterns together cover a third. */
export const allCovered = (inner: readonly string[], outer: readonly string[]): boolean =>
  inner.every((pattern) => outer.some((wider) => covers(wider, pattern)));
