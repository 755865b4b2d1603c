/** `npm run rt -- <name> [--full] [--seed N]`, or `all`: plays resilience scenarios; the last line is JSON. */
import { parseArgs } from 'node:util';
import { playAll } from './play-all.ts';
import { playOne } from './play-one.ts';
import { SCENARIOS } from './registry.ts';

const USAGE = `usage: npm run rt -- <name>|all [--full] [--seed N]

${SCENARIOS.map(({ name, shows }) => `  ${name.padEnd(18)} ${shows}`).join('\n')}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { full: { type: 'boolean', default: false }, seed: { type: 'string', default: '1' } },
});
const [name, ...rest] = positionals;
const form = values.full ? 'full' : 'short';
const seed = Number(values.seed);
const chosen = SCENARIOS.find((scenario) => scenario.name === name);

if (rest.length > 0 || !Number.isInteger(seed) || (name !== 'all' && chosen === undefined)) {
  console.error(USAGE);
  process.exit(2);
}
const ok = chosen === undefined ? await playAll(SCENARIOS, form, seed) : await playOne(chosen, form, seed);
process.exit(ok ? 0 : 1);
