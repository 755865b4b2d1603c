/** `npm run recorded -- <folder>`: checks your own recordings against the gateway's codecs, before you migrate. Nothing is sent anywhere. */
import { existsSync } from 'node:fs';
import { readRecordings } from './recordings.ts';
import { printReport, reportOn } from './report.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined || !existsSync(folder)) {
  if (folder !== undefined) console.error(`There is no folder ${folder}.`);
  console.error('Name a folder of VCR cassettes (YAML, JSON, also gzipped) or HAR files: npm run recorded -- <folder>');
  process.exit(2);
}
const { exchanges, unreadable } = readRecordings(folder);
const tallies = reportOn(exchanges);
printReport(tallies, console.log);
for (const line of unreadable) console.log(`not read: ${line}`);
if (tallies.size === 0) {
  console.log(`${exchanges.length} exchanges, none of them of a format this gateway speaks`);
  process.exit(1);
}
