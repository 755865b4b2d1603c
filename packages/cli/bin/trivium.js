#!/usr/bin/env node
// What npm links as `trivium`: the built program, or in a clone, which has the sources, those. Plain JavaScript without anything that
// an old Node.js lacks, so that one is answered with a sentence instead of a stack trace.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const OLDEST_MAJOR = 24;
const version = process.versions.node;

/** The sources resolve their own packages by a condition, which only Node's command line can set. */
function runSources(file) {
  const args = ['--conditions=trivium-source', ...process.execArgv, file, ...process.argv.slice(2)];
  // Becomes that process where the system can, so that signals and the exit code need no one between.
  if (process.platform !== 'win32') process.execve(process.execPath, [process.execPath, ...args]);
  spawn(process.execPath, args, { stdio: 'inherit' }).on('exit', (code) => {
    process.exitCode = code === null ? 1 : code;
  });
}

if (Number(version.split('.')[0]) < OLDEST_MAJOR) {
  process.stderr.write(
    `trivium: Node.js ${OLDEST_MAJOR} or newer is needed, this is v${version}: install it from https://nodejs.org\n`,
  );
  process.exitCode = 1;
} else {
  const sources = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  if (existsSync(sources)) runSources(sources);
  else await import('../dist/main.js');
}
