/**
 * `npm run attack [-- <id>…]`: runs what shows that the findings of attacks and reviews no longer are so, and prints one line of JSON with
 * `ok`: what failed by id, and what nothing shows. `--tests` leaves out the commands, which take minutes each.
 */
import { parseArgs } from 'node:util';
import { isCommand } from '../claims/claims.ts';
import { failedTests, succeeds } from '../claims/play.ts';
import { evidenceOf, readFindings } from './attack.ts';

const { positionals, values } = parseArgs({ allowPositionals: true, options: { tests: { type: 'boolean' } } });
const findings = readFindings();
const unknown = positionals.filter((asked) => !findings.some(({ id }) => id === asked));
if (unknown.length > 0) throw new Error(`no finding ${unknown.join(', ')}`);
const evidence = evidenceOf(findings, positionals);
const tests = evidence.filter((each) => !isCommand(each));
const commands = values.tests === true ? [] : evidence.filter(isCommand);
const failed = new Set([
  ...(tests.length > 0 ? failedTests(tests) : []),
  ...commands.filter((command) => !succeeds(command)),
]);
const isRun = ({ id }: { readonly id: string }): boolean => positionals.length === 0 || positionals.includes(id);
const rows = findings.filter(isRun);
console.log(
  JSON.stringify({
    ok: failed.size === 0,
    failed: rows.filter(({ by = [] }) => by.some((each) => failed.has(each))).map(({ id, found }) => `${id}: ${found}`),
    findings: rows.length,
    onTwoNodes: rows.filter(({ nodes }) => nodes === 2).length,
    tests: tests.length,
    commands: commands.length,
    notShown: rows.filter(({ by }) => by === undefined).map(({ id, found, why }) => `${id}: ${found} (${why})`),
  }),
);
if (failed.size > 0) process.exitCode = 1;
