/** Which drill plays which step of the pages: drills.yaml beside the pages themselves. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { commandsIn, headingsToPlay, STEPS_BELOW, type Step, settingsIn, signalsIn } from './steps.ts';

export const ROOT = new URL('../..', import.meta.url).pathname;
const TEST = /\.test\.ts$/;
const SCRIPT = /^npm run ([\w:-]+)/;

type Row = { readonly step: string; readonly by?: readonly string[]; readonly notPlayed?: string };
export type Plan = readonly {
  readonly page: string;
  readonly heading: string;
  readonly form: keyof typeof STEPS_BELOW;
  readonly steps: readonly Row[];
}[];

/** What a drill did, to be held against its steps. */
export type Doings = {
  /** Commands as the pages have them. */
  readonly typed: ReadonlySet<string>;
  /** Paths of the settings that nodes ran with. */
  readonly settings: ReadonlySet<string>;
  /** What nodes were ended with. */
  readonly signals: ReadonlySet<string>;
};

export const readPlan = (): Plan => parse(readFileSync(join(ROOT, 'scripts/drills/drills.yaml'), 'utf8')) as Plan;
export const readPage = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** The sections that a configuration may have. */
export function sectionsOfSettings(): readonly string[] {
  const schema = JSON.parse(readFileSync(join(ROOT, 'packages/gateway/config.schema.json'), 'utf8')) as {
    readonly properties: object;
  };
  return Object.keys(schema.properties);
}

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

/** Headings and steps without a row, rows without a step, and rows that name nothing that is there. */
export function problemsOf(
  plan: Plan,
  read: (page: string) => string,
  drills: readonly string[],
  scripts: readonly string[],
): readonly string[] {
  const planned = (page: string): readonly string[] =>
    plan.filter((part) => part.page === page).map(({ heading }) => heading);
  const unplanned = [...new Set(plan.map(({ page }) => page))].flatMap((page) =>
    headingsToPlay(read(page))
      .filter((heading) => !planned(page).includes(heading))
      .map((heading) => `${page}: no drills for what stands below ${heading}`),
  );
  const ofParts = plan.flatMap(({ page, heading, form, steps }) => {
    const said = STEPS_BELOW[form](read(page), heading).map(({ title }) => title);
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
  return [...unplanned, ...ofParts];
}

/** A mention may leave out what follows. */
const isTyped = (command: string, { typed }: Doings): boolean =>
  [...typed].some((one) => one === command || one.startsWith(`${command} `));

const isSet = (setting: string, { settings }: Doings): boolean =>
  [...settings].some((one) => one === setting || one.startsWith(`${setting}.`));

/** What the pages tell to do in the steps of which this drill is the first, and what it did not do. */
export function undoneBy(
  drill: string,
  doings: Doings,
  plan: Plan,
  read: (page: string) => string,
  drills: readonly string[],
  sections: readonly string[],
): readonly string[] {
  return plan.flatMap(({ page, heading, form, steps }) => {
    const said = STEPS_BELOW[form](read(page), heading);
    const own = steps.filter(({ by = [] }) => by.find((each) => drills.includes(each)) === drill);
    return own.flatMap(({ step }) => {
      const found = said.find(({ title }) => title === step);
      if (found === undefined) return [`${page}, ${heading}: no such step: ${step}`];
      const missing = [
        ...commandsIn(found).filter((command) => !isTyped(command, doings)),
        ...settingsIn(found, sections).filter((setting) => !isSet(setting, doings)),
        ...signalsIn(found).filter((signal) => !doings.signals.has(signal)),
      ];
      return missing.map((what) => `${page}, ${heading}: ${step} says \`${what}\`, and ${drill} did not do it`);
    });
  });
}

/** A step of a page, which must be in the plan. */
export function stepOf(page: string, heading: string, title: string): Step {
  const form = readPlan().find((part) => part.page === page && part.heading === heading)?.form;
  const steps = form === undefined ? [] : STEPS_BELOW[form](readPage(page), heading);
  const found = steps.find((step) => step.title === title);
  if (found === undefined) throw new Error(`${page}, ${heading}: no such step: ${title}`);
  return found;
}
