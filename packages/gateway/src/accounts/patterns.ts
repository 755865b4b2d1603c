// Names with an optional `*` at the end, as keys list models and losses: `openai/gpt-4o`, `openai/*`.

export type Matches = (name: string) => boolean;

const ALL: Matches = () => true;

/** Without a list: everything. An entry that ends in `*` stands for every name that starts with what is before it. */
export const matcher = (patterns: readonly string[] | undefined): Matches => {
  if (patterns === undefined) return ALL;
  const exact = new Set(patterns.filter((pattern) => !pattern.endsWith('*')));
  const prefixes = patterns.filter((pattern) => pattern.endsWith('*')).map((pattern) => pattern.slice(0, -1));
  return (name) => exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
};

/** Whether every name the one matches is matched by the other as well. */
const covers = (outer: string, inner: string): boolean =>
  outer.endsWith('*') ? inner.startsWith(outer.slice(0, -1)) : outer === inner;

/** Sound, not complete: two patterns that cover a third only together are not seen. */
export const allCovered = (inner: readonly string[], outer: readonly string[]): boolean =>
  inner.every((pattern) => outer.some((wider) => covers(wider, pattern)));
