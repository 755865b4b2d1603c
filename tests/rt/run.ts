/** `npm run rt -- <name>… [--full] [--seed N] [--at-once N]`, or `all`: plays resilience scenarios; the last line is JSON. */
import { parseArgs } from 'node:util';
import { playAll } from './play-all.ts';
import { playOne } from './play-one.ts';
import { SCENARIOS } from './registry.ts';

const USAGE = `usage: npm run rt -- <name>…|all [--full] [--seed N] [--at-once N]

${SCENARIOS.map(({ name, shows }) => `  ${name.padEnd(18)} ${shows}`).join('\n')}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    full: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    'at-once': { type: 'string', default: '1' },
  },
});
const form = values.full ? 'full' : 'short';
const seed = Number(values.seed);
const atOnce = Number(values['at-once']);
const known = new Map(SCENARIOS.map((scenario) => [scenario.name, scenario]));
const chosen = positionals.join() === 'all' ? SCENARIOS : positionals.flatMap((name) => known.get(name) ?? []);
const isUnderstood = positionals.join() === 'all' || chosen.length === positionals.length;

if (chosen.length === 0 || !isUnderstood || !Number.isInteger(seed) || !(atOnce >= 1)) {
  console.error(USAGE);
  process.exit(2);
}
const [only] = chosen;
const ok =
  chosen.length === 1 && only !== undefined
    ? await playOne(only, form, seed)
    : await playAll(chosen, form, seed, atOnce);
process.exit(ok ? 0 : 1);
