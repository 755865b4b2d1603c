#!/usr/bin/env node
// The `trivium` command: finds the command named and runs it.

import { buildProgram } from './program.ts';
import { systemTerminal } from './terminal.ts';

const terminal = systemTerminal();

try {
  await buildProgram(terminal).parseAsync(process.argv);
} catch (error) {
  terminal.error(`trivium: ${error instanceof Error ? error.message : String(error)}`);
  terminal.setExitCode(1);
}
