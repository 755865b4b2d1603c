#!/usr/bin/env node
// What npm links as `trivium`: the built program, or in a clone, which has the sources, those. Plain JavaScript without anything that
// an old Node.js lacks, so that one is answered with a sentence instead of a stack trace.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const OLDEST_MAJOR = 24;
const version = process.versions.node;

/**
 * A larger young generation for what serves requests: nearly all that one allocates is dead when it ends, and what is dead at a
 * collection costs nothing. Only Node's command line can set it.
 */
const YOUNG = '--max-semi-space-size';
const isSet = [...process.execArgv, process.env.NODE_OPTIONS || ''].some((option) => option.includes(YOUNG));
const flags = process.argv[2] === 'serve' && !isSet ? [`${YOUNG}=32`] : [];

/** Becomes that process where the system can, so that signals and the exit code need no one between. */
function runAgain(file, more) {
  const args = [...more, ...process.execArgv, file, ...process.argv.slice(2)];
  if (process.platform !== 'win32') process.execve(process.execPath, [process.execPath, ...args]);
  // Ctrl+C reaches both: the one that serves decides when it is over.
  process.on('SIGINT', () => undefined);
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
  // The sources resolve their own packages by a condition, which only Node's command line can set.
  if (existsSync(sources)) runAgain(sources, [...flags, '--conditions=trivium-source']);
  else if (flags.length > 0 && process.platform !== 'win32') runAgain(fileURLToPath(import.meta.url), flags);
  else await import('../dist/main.js');
}
