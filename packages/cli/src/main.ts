#!/usr/bin/env node
// The `trivium` command.

import { runCommandLine } from './program.ts';
import { systemTerminal } from './terminal.ts';

await runCommandLine(process.argv.slice(2), systemTerminal());
