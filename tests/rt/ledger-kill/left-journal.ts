/** The journals of just killed processes: read at once, before a successor replays and removes them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { journalsIn } from '../../../packages/gateway/src/money/journal/journal.ts';
import { readLines } from '../../../packages/gateway/src/money/journal/lines.ts';
import { recordFromJson } from '../../../packages/gateway/src/money/ledger/core/journal-records.ts';

/** Requests with their end in a journal of one of these processes. A file that is gone by now was replayed in full. */
export function settledInJournals(folder: string, pids: ReadonlySet<number>): ReadonlySet<string> {
  const settled = new Set<string>();
  const isTheirs = (epoch: string): boolean => pids.has(Number(epoch.split('.')[1]));
  for (const database of readdirSync(folder, { withFileTypes: true })) {
    if (!database.isDirectory()) continue;
    for (const paths of journalsIn(join(folder, database.name), isTheirs).values())
      for (const path of paths) for (const request of settledIn(path)) settled.add(request);
  }
  return settled;
}

function* settledIn(path: string): Generator<string> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return;
  }
  for (const json of readLines(text)) {
    const record = recordFromJson(json);
    if (record.at === 'settle') yield record.request;
  }
}
