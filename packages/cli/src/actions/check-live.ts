// What `trivium check-live` does: shows the most it can cost, asks, and prints a table and the differences.

import { writeFileSync } from 'node:fs';
import { type CheckRow, differenceText, fixtureLines, openLiveCheck, parseNanoUsd, reportText } from '@trivium/gateway';
import { requireConfig } from '../read-config.ts';
import { dollars } from '../table.ts';
import type { Style, Terminal } from '../terminal.ts';

export interface CheckLiveOptions {
  readonly config?: string;
  readonly bound: string;
  readonly model?: string;
  readonly format?: string;
  readonly estimate?: true;
  readonly report?: string;
  readonly record?: string;
  readonly json?: true;
}

const STYLES: Readonly<Record<CheckRow['outcome'], Style>> = {
  'as known': 'green',
  different: 'yellow',
  failed: 'red',
  'not asked': 'dim',
};
const OUTCOME_WIDTH = 9;
const PROBE_WIDTH = 17;
const FORMAT_WIDTH = 18;

function lineOf({ format, probe, outcome, why, model, limitHeaders }: CheckRow, { paint }: Terminal): string {
  const limits = limitHeaders.length === 0 ? '' : `${limitHeaders.length} headers of limits`;
  const about = [model, why, limits].filter((text) => text !== undefined && text !== '').join(', ');
  const word = paint(STYLES[outcome], outcome.padEnd(OUTCOME_WIDTH));
  return `${word}  ${format.padEnd(FORMAT_WIDTH)}  ${probe.padEnd(PROBE_WIDTH)}  ${about}`.trimEnd();
}

export async function checkLive(provider: string, options: CheckLiveOptions, terminal: Terminal): Promise<void> {
  const boundNanoUsd = parseNanoUsd(options.bound);
  if (boundNanoUsd === undefined) throw new Error('--bound must be an amount in dollars, such as 0.05');
  const config = await requireConfig(options.config, terminal);
  const { model, format } = options;
  const check = await openLiveCheck(config, {
    provider,
    boundNanoUsd,
    ...(model !== undefined && { model }),
    ...(format !== undefined && { format }),
  });
  try {
    const { plan, redact } = check;
    const say = options.json ? terminal.error : terminal.print;
    say(
      `${plan.steps.length} questions, ${dollars(plan.mostUsd)} at most; the bound is ${dollars(options.bound)}. Models are asked for with your own credential.`,
    );
    if (options.estimate) {
      for (const row of plan.left) terminal.print(redact(lineOf(row, terminal)));
      return;
    }
    if (!options.json) for (const row of plan.left) terminal.print(redact(lineOf(row, terminal)));
    const found = await check.run((row) => {
      if (!options.json) terminal.print(redact(lineOf(row, terminal)));
    });
    const facts = { provider, checkedAt: new Date().toISOString(), bound: options.bound, ...found };
    const report = reportText(facts, redact);
    if (options.report !== undefined) writeFileSync(options.report, report);
    if (options.record !== undefined) writeFileSync(options.record, fixtureLines(provider, found.rows, redact));
    const different = found.rows.filter(({ outcome }) => outcome === 'different');
    const failed = found.rows.filter(({ outcome }) => outcome === 'failed');
    if (different.length + failed.length > 0) terminal.setExitCode(1);
    if (options.json) {
      terminal.print(report.trimEnd());
      return;
    }
    if (different.length > 0) terminal.print('\nDifferences from what is known:');
    for (const { format: own, probe, differences } of different)
      for (const difference of differences) terminal.print(redact(`  ${own} ${probe}: ${differenceText(difference)}`));
    terminal.print(`\n${dollars(found.spentUsd)} spent, ${different.length} different, ${failed.length} failed`);
  } finally {
    await check.close();
  }
}
