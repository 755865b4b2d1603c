/** Which drill plays which step of the pages: drills.yaml beside the pages themselves. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { rowsBelow, stepsBelow } from './steps.ts';

export const ROOT = new URL('../..', import.meta.url).pathname;
const TEST = /\.test\.ts$/;
const SCRIPT = /^npm run ([\w:-]+)/;

type Row = { readonly step: string; readonly by?: readonly string[]; readonly notPlayed?: string };
export type Plan = readonly {
  readonly page: string;
  readonly heading: string;
  readonly form: 'steps' | 'rows';
  readonly steps: readonly Row[];
}[];

export const readPlan = (): Plan => parse(readFileSync(join(ROOT, 'scripts/drills/drills.yaml'), 'utf8')) as Plan;

/** Commands that play steps, once each; tests are run by `npm test`. */
export const shownBy = (plan: Plan): readonly string[] => [
  ...new Set(plan.flatMap(({ steps }) => steps.flatMap(({ by = [] }) => by.filter((each) => SCRIPT.test(each))))),
];

function problemOf(by: string, drills: readonly string[], scripts: readonly string[]): string | undefined {
  const script = SCRIPT.exec(by)?.[1];
  const isThere =
    script !== undefined ? scripts.includes(script) : TEST.test(by) ? existsSync(join(ROOT, by)) : drills.includes(by);
  return isThere ? undefined : `there is no ${by}`;
}

/** Steps without a row, rows without a step, and rows that name nothing that is there. */
export function problemsOf(
  plan: Plan,
  read: (page: string) => string,
  drills: readonly string[],
  scripts: readonly string[],
): readonly string[] {
  return plan.flatMap(({ page, heading, form, steps }) => {
    const said = (form === 'steps' ? stepsBelow : rowsBelow)(read(page), heading);
    const known = steps.map(({ step }) => step);
    return [
      ...said.filter((step) => !known.includes(step)).map((step) => `${page}, ${heading}: no drill: ${step}`),
      ...known.filter((step) => !said.includes(step)).map((step) => `${page}, ${heading}: no such step: ${step}`),
      ...steps.flatMap(({ step, by = [], notPlayed }) =>
        (by.length === 0) === (notPlayed === undefined)
          ? [`${page}: either drills or why it is not played: ${step}`]
          : by.flatMap((each) => problemOf(each, drills, scripts) ?? []),
      ),
    ];
  });
}
