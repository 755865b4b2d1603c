// What `trivium what-if` does: reads drafted policies and prices from files, lets the gateway replay its records, and prints the outcome.

import { describeConfigProblem, readDeclaredFiles } from '@trivium/gateway/accounts-file';
import type { WhatIf } from '@trivium/gateway/commands';
import { callAdmin, type Row } from '../admin-client.ts';
import type { Typed } from '../admin-commands.ts';
import { dollars, localTime, printOne, printRows } from '../table.ts';
import type { Terminal } from '../terminal.ts';

/** Above the gateway's own time limit. */
const LIMIT_MS = 180_000;

/** One list of the files, in the form of the API. */
function listOf(path: unknown, list: 'policies' | 'prices', { env }: Terminal): Row {
  if (path === undefined) return {};
  const files = readDeclaredFiles(String(path), env);
  if ('problems' in files) throw new Error(files.problems.map(describeConfigProblem).join('\n'));
  const found = files.declared[list];
  if (found === undefined) throw new Error(`${String(path)} has no ${list}`);
  return { [list]: found };
}

/** Most groups that fill a screen; `--json` has all. */
const MOST_SHOWN = 10;

const signed = (usd: string): string => (usd.startsWith('-') || usd === '0' ? dollars(usd) : `+${dollars(usd)}`);

function summary(terminal: Terminal, found: WhatIf): void {
  const { requests, kept, moved, refused, failed, unknown, reordered, unlikeToday } = found;
  terminal.print(`${requests} requests from ${localTime(found.from)} to ${localTime(found.until)}`);
  if (!found.complete) terminal.print(terminal.paint('yellow', 'Ended early: the records after that are not in it.'));
  terminal.print(`  ${kept} kept, ${moved} moved, ${refused} refused, ${failed} failed, ${unknown} not known`);
  if (reordered > 0) terminal.print(`  ${reordered} kept, with other hosts behind or before`);
  if (unlikeToday > 0)
    terminal.print(`  ${unlikeToday} planned otherwise today than they were: policies, prices or hosts changed since`);
  terminal.print(
    `  cost ${dollars(found.wasUsd)}, would have been ${dollars(found.wouldUsd)} (${signed(found.differenceUsd)})`,
  );
  if (found.cacheLostUsd !== '0')
    terminal.print(`  ${dollars(found.cacheLostUsd)} more if those that moved had found nothing cached`);
}

export async function runWhatIf({ terminal, options, given, method, path, body }: Typed): Promise<void> {
  const question = {
    ...body,
    ...listOf(given['policies'], 'policies', terminal),
    ...listOf(given['prices'], 'prices', terminal),
  };
  const answer = await callAdmin(terminal, options, method, path, question, LIMIT_MS);
  if (options.json) {
    printOne(terminal, options, answer);
    return;
  }
  const found = answer as WhatIf;
  summary(terminal, found);
  for (const [title, rows] of [
    ['By account', found.byAccount],
    ['By model', found.byModel],
  ] as const) {
    if (rows.length === 0) continue;
    terminal.print(`\n${title}`);
    const columns = ['name', 'requests', 'moved', 'refused', 'unknown', 'wasUsd', 'wouldUsd', 'differenceUsd'] as const;
    printRows(terminal, options, rows.slice(0, MOST_SHOWN), columns);
  }
  if (found.largest.length > 0) {
    terminal.print('\nLargest differences');
    const hosts = ['verdict', 'provider', 'toProvider', 'wasUsd', 'wouldUsd', 'differenceUsd'] as const;
    printRows(terminal, options, found.largest, ['id', ...hosts]);
  }
  if (found.unknownBy.length > 0) {
    terminal.print('\nNot known, and in no cost');
    for (const { requests, says, wasUsd } of found.unknownBy)
      terminal.print(`  ${requests} (${dollars(wasUsd)}): ${says}`);
  }
  terminal.print('\nWhat cannot be known');
  for (const sentence of found.notKnown) terminal.print(`  ${sentence}`);
}
