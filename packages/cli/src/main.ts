// The `trivium` command. `bin/trivium.js` starts it after checking the version of Node.js.

import { runCommandLine } from './program.ts';
import { systemTerminal } from './terminal.ts';

await runCommandLine(process.argv.slice(2), systemTerminal());
