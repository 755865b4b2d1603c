/** Which rules hold? A pure verdict over rule list, pending list and test results. */
import { claimOf, MAX_IDS_PER_TEST } from './claims.ts';
import type { Results, TestResult } from './results.ts';
import type { Pending, Rule } from './rules.ts';

type AreaCount = {
  readonly area: string;
  readonly rules: number;
  readonly covered: number;
  readonly pending: number;
  readonly missing: number;
};

export type Verdict = {
  readonly areas: readonly AreaCount[];
  readonly missing: readonly string[];
  /** What is wrong besides missing rules; any of these fails the command. */
  readonly errors: readonly string[];
};

type Standing = { passed: number; failed: number };

export function tally(rules: readonly Rule[], pending: Pending, { tests, brokenFiles }: Results): Verdict {
  const errors = brokenFiles.map((file) => `${file} broke before its tests ran`);
  const standings = new Map<string, Standing>(rules.map(({ id }) => [id, { passed: 0, failed: 0 }]));
  for (const test of tests) weigh(test, standings, pending, errors);
  const isCovered = ({ id }: Rule): boolean => {
    const standing = standings.get(id);
    return standing !== undefined && standing.passed > 0 && standing.failed === 0;
  };
  const isOpen = (rule: Rule): boolean => !rule.isWithdrawn && !Object.hasOwn(pending, rule.id) && !isCovered(rule);
  const areas = [...new Set(rules.map(({ area }) => area))].map((area) => {
    const own = rules.filter((rule) => rule.area === area);
    return {
      area,
      rules: own.length,
      covered: own.filter((rule) => isCovered(rule) && !Object.hasOwn(pending, rule.id)).length,
      pending: own.filter(({ id }) => Object.hasOwn(pending, id)).length,
      missing: own.filter(isOpen).length,
    };
  });
  return { areas, missing: rules.filter(isOpen).map(({ id }) => id), errors };
}

function weigh(test: TestResult, standings: Map<string, Standing>, pending: Pending, errors: string[]): void {
  const { ruleIds, counts } = claimOf(test.name);
  if (test.status === 'failed') errors.push(`failed: ${test.name}`);
  if (ruleIds.length > MAX_IDS_PER_TEST) errors.push(`more than ${MAX_IDS_PER_TEST} rule ids: ${test.name}`);
  for (const id of ruleIds) {
    const standing = standings.get(id);
    if (standing === undefined) errors.push(`${id} is no rule: ${test.name}`);
    else if (test.status === 'failed') standing.failed++;
    else if (counts && test.status === 'passed') {
      standing.passed++;
      if (Object.hasOwn(pending, id))
        errors.push(
          `${id} is pending (${pending[id]}) but claimed; remove its pending entry or mark the test partly: ${test.name}`,
        );
    }
  }
}
