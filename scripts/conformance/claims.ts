/** What the name of a test claims: which rules it proves, and whether it proves them whole. */

export type Claim = {
  readonly ruleIds: readonly string[];
  /** False for tests that show a part of a rule, or only a form. */
  readonly counts: boolean;
};

export const MAX_IDS_PER_TEST = 3;

const ID_GROUP = /\[([A-Z]{1,2}-[0-9]{2,3}(?:[ ,]+[A-Z]{1,2}-[0-9]{2,3})*)\]/g;
const PARTIAL = /^\s*(?:shape|partly):/;

export function claimOf(testName: string): Claim {
  const ruleIds = new Set<string>();
  let counts = true;
  for (const match of testName.matchAll(ID_GROUP)) {
    for (const id of (match[1] ?? '').split(/[ ,]+/)) ruleIds.add(id);
    if (PARTIAL.test(testName.slice(match.index + match[0].length))) counts = false;
  }
  return { ruleIds: [...ruleIds], counts };
}
