/** What calls so far have shown of a target, as a snapshot: routing reads it and never asks where it comes from. */
export type Observed = {
  /** Taken out of service for a while. */
  readonly out: boolean;
  /** Usual time to the first token; undefined while nobody knows it. */
  readonly firstTokenMs: number | undefined;
};

/** Those in service. When everybody is out, everybody stays: a host that may fail is better than none. */
export function inService<C>(
  candidates: readonly C[],
  observedOf: (candidate: C) => Observed,
): { readonly stay: readonly C[]; readonly ejected: readonly C[] } {
  const ejected = candidates.filter((candidate) => observedOf(candidate).out);
  if (ejected.length === 0 || ejected.length === candidates.length) return { stay: candidates, ejected: [] };
  return { stay: candidates.filter((candidate) => !ejected.includes(candidate)), ejected };
}
