/** What recent calls have shown of a target, as a snapshot. */
export type Observed = {
  /** Ejected for a while (circuit breaker open). */
  readonly out: boolean;
  /** Usual time to first token in ms; undefined if unknown. */
  readonly firstTokenMs: number | undefined;
};

/** The candidates in service. If all are ejected, all stay: a host that may fail is better than none. */
export function inService<C>(
  candidates: readonly C[],
  observedOf: (candidate: C) => Observed,
): { readonly stay: readonly C[]; readonly ejected: readonly C[] } {
  const ejected = candidates.filter((candidate) => observedOf(candidate).out);
  if (ejected.length === 0 || ejected.length === candidates.length) return { stay: candidates, ejected: [] };
  return { stay: candidates.filter((candidate) => !ejected.includes(candidate)), ejected };
}
