/**
 * `npm run drills [-- <name>…]`: plays what the pages of disaster recovery and of upgrades say, and prints one line of JSON with `ok`: how
 * long each took, what failed. After each the money is exact, and every command, setting and signal of its steps was used.
 */
import { spawnSync } from 'node:child_process';
import { Stage } from '../../tests/rt/parts/stage.ts';
import { DRILLS } from './drills.ts';
import { ROOT, readPage, readPlan, sectionsOfSettings, shownBy, undoneBy } from './plan.ts';

const COMMAND_LIMIT_MS = 20 * 60_000;

async function play(name: string): Promise<void> {
  const drill = DRILLS[name];
  if (drill === undefined) {
    const { status, stdout, stderr } = spawnSync('bash', ['-c', name], {
      cwd: ROOT,
      encoding: 'utf8',
      timeout: COMMAND_LIMIT_MS,
    });
    if (status !== 0) throw new Error(`${stdout}\n${stderr}`.trim().split('\n').slice(-10).join('\n'));
    return;
  }
  const stage = new Stage(1);
  try {
    const doings = await drill(stage);
    const undone = undoneBy(name, doings, readPlan(), readPage, Object.keys(DRILLS), sectionsOfSettings());
    if (undone.length > 0) throw new Error(undone.join('\n'));
  } finally {
    await stage.close();
  }
}

const asked = process.argv.slice(2);
const names = asked.length > 0 ? asked : [...new Set([...Object.keys(DRILLS), ...shownBy(readPlan())])];
const seconds: Record<string, number> = {};
const failed: string[] = [];
for (const name of names) {
  const began = performance.now();
  try {
    await play(name);
  } catch (error) {
    failed.push(name);
    console.error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
  seconds[name] = Math.round((performance.now() - began) / 100) / 10;
  console.error(`${failed.includes(name) ? 'FAILED' : 'played'}: ${name} (${seconds[name]} s)`);
}
console.log(JSON.stringify({ ok: failed.length === 0, failed, seconds }));
process.exit(failed.length === 0 ? 0 : 1);
