/**
 * `npm run claims`: runs every test and command that claims.yaml names, and prints one line of JSON with `ok`: sentences, what shows them,
 * what failed. `--quick` leaves out commands that take minutes or install something.
 */
import { isCommand, ownProblems, readClaims, shownBy } from './claims.ts';
import { failedTests, succeeds } from './play.ts';

const claims = readClaims();
const isQuick = process.argv.includes('--quick');
const shown = shownBy(claims);
const tests = shown.filter((each) => !isCommand(each));
const commands = shown.filter((each) => isCommand(each) && (!isQuick || claims.quick.includes(each)));
const rows = Object.values(claims.pages).flat();
const failed = [...ownProblems(), ...failedTests(tests), ...commands.filter((command) => !succeeds(command))];
console.log(
  JSON.stringify({
    ok: failed.length === 0,
    failed,
    sentences: rows.length,
    promises: rows.filter(({ by }) => by !== undefined).length,
    tests: tests.length,
    commands: commands.length,
    leftOut: shown.length - tests.length - commands.length,
  }),
);
if (failed.length > 0) process.exitCode = 1;
