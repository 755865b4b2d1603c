/** What 0.1.0 offered and a later minor version has taken away, after a version that warned of it: as `<list>: <name>` each. */
export const RETIRED: readonly string[] = [];
