// The `trivium` command. `bin/trivium.js` starts it, once the version of Node.js is known to do.

import { runCommandLine } from './program.ts';
import { systemTerminal } from './terminal.ts';

await runCommandLine(process.argv.slice(2), systemTerminal());
