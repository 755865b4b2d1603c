/**
 * `npm run conformance`: counts the rules the tests prove, or (with --sabotage) tries whether the tests notice broken code.
 * The last line is JSON; the exit status is 0 only if nothing is missing and nothing is wrong.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { countCells, holeErrors, hostLines, hostRows, staleHoles } from './hosts.ts';
import { parseResults, runTests } from './results.ts';
import { readPending, readRules } from './rules.ts';
import { type SabotagePlan, sabotage } from './sabotage.ts';
import { EVERY_FILE } from './sites.ts';
import { tally, type Verdict } from './tally.ts';

const ROOT = new URL('../../', import.meta.url);
const DEFAULT_SEED = 1;

const { values } = parseArgs({
  options: {
    results: { type: 'string' },
    sabotage: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string' },
    nearest: { type: 'boolean', default: false },
  },
});

if (values.sabotage === undefined) count(values.results);
else
  await trySabotage({
    count: wholeNumber(values.sabotage),
    seed: values.seed === undefined ? DEFAULT_SEED : wholeNumber(values.seed),
    only: values.only === undefined ? EVERY_FILE : values.only.split(','),
    isNearestOnly: values.nearest,
  });

function count(resultsFile: string | undefined): void {
  const rules = readRules(ROOT);
  const results = resultsFile === undefined ? runTests(ROOT) : parseResults(readFileSync(resultsFile, 'utf8'));
  const counted = tally(rules, readPending(ROOT, rules), results);
  const verdict = { ...counted, errors: [...counted.errors, ...holeErrors(rules)] };
  const rows = hostRows(results.tests);
  const hosts = countCells(rows);
  const ok = verdict.missing.length === 0 && verdict.errors.length === 0 && hosts.bare === 0;
  for (const line of hostLines(rows)) console.log(line);
  console.log('');
  print(verdict);
  const stale = staleHoles(rows);
  if (stale.length > 0) console.log(`holes not needed in this run: ${stale.join(', ')}`);
  const { covered, pending } = totalOf(verdict);
  console.log(
    JSON.stringify({
      rules: rules.length,
      covered,
      pending,
      missing: verdict.missing.length,
      errors: verdict.errors.length,
      hosts,
      ok,
    }),
  );
  process.exitCode = ok ? 0 : 1;
}

async function trySabotage(plan: SabotagePlan): Promise<void> {
  const { caught, survivors, seconds } = await sabotage(ROOT, plan);
  const { count: mutants, seed, isNearestOnly } = plan;
  for (const { file, line, change } of survivors) console.log(`survived ${file}:${line}\n  ${change}`);
  // One in twenty-five may go unnoticed.
  const needed = Math.ceil(mutants * 0.96);
  const ok = caught >= needed;
  console.log(JSON.stringify({ mutants, seed, caught, needed, seconds, nearestOnly: isNearestOnly, ok }));
  process.exitCode = ok ? 0 : 1;
}

function print({ areas, missing, errors }: Verdict): void {
  const rows = [['area', 'rules', 'covered', 'pending', 'missing']];
  for (const { area, ...counts } of areas) rows.push([area, ...Object.values(counts).map(String)]);
  for (const [area = '', ...counts] of rows)
    console.log(area.padEnd(6) + counts.map((text) => text.padStart(9)).join(''));
  if (missing.length > 0) console.log(`\nmissing: ${missing.join(' ')}`);
  for (const error of errors) console.log(`error: ${error}`);
}

function totalOf({ areas }: Verdict): { readonly covered: number; readonly pending: number } {
  let covered = 0;
  let pending = 0;
  for (const area of areas) {
    covered += area.covered;
    pending += area.pending;
  }
  return { covered, pending };
}

function wholeNumber(text: string): number {
  if (!/^[0-9]{1,9}$/.test(text)) throw new Error(`'${text}' is no whole number`);
  return Number(text);
}
