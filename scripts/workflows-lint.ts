/** `npm run workflows:lint`: actionlint over the workflows of the forge. The last line is JSON with `ok`. */
import { spawnSync } from 'node:child_process';
import { goTool } from './tools/go-tool.ts';

const program = goTool('github.com/rhysd/actionlint/cmd/actionlint', 'v1.7.12');
const { status } = spawnSync(program, { cwd: new URL('../', import.meta.url).pathname, stdio: 'inherit' });
console.log(JSON.stringify({ ok: status === 0 }));
process.exitCode = status === 0 ? 0 : 1;
