#!/usr/bin/env node
// The `trivium` command. Everything else is loaded once the version of Node.js is known to do: an older one would fail with the
// name of a module instead of a reason.

import { nodeProblem } from './node-version.ts';

const problem = nodeProblem(process.versions.node);
if (problem === undefined) {
  const [{ runCommandLine }, { systemTerminal }] = await Promise.all([import('./program.ts'), import('./terminal.ts')]);
  await runCommandLine(process.argv.slice(2), systemTerminal());
} else {
  process.stderr.write(`trivium: ${problem}\n`);
  process.exitCode = 1;
}
