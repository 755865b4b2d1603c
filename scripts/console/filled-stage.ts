/** The built console, chromium, and a database filled by SQL: what pictures and measurements of the console begin with. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { type Filled, fillRecords, type Traffic } from '../../bench/fill-records.ts';
import { Stage } from '../../tests/rt/parts/stage.ts';
import { freshDatabase } from '../../tests/support/database.ts';
import { openBrowser } from './browser.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

type FilledStage = Filled & {
  /** Closes all of it. */
  readonly stage: Stage;
  readonly browser: Browser;
  readonly databaseUrl: string;
};

export async function openFilledStage(records: number, traffic?: Traffic): Promise<FilledStage> {
  execFileSync('npm', ['run', 'console:build', '--silent'], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  const stage = new Stage(1);
  const browser = await openBrowser();
  stage.atEnd(() => browser.close());
  const database = await freshDatabase();
  stage.atEnd(() => database.drop());
  return { stage, browser, databaseUrl: database.url, ...(await fillRecords(database, records, traffic)) };
}
