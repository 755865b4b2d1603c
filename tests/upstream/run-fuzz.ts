/** `npm run fuzz:upstream -- [--count N] [--seed N]`: broken responses to both clients. Stops at the first deviation. */
import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.ts';

const { values } = parseArgs({
  options: { count: { type: 'string', default: '1000000' }, seed: { type: 'string', default: String(Date.now()) } },
});
const count = Number(values.count);
const seed = Number(values.seed) % 2 ** 31;
const EVERY = 50_000;
// Most responses end in an error, of which nothing but the code is looked at.
Error.stackTraceLimit = 0;

console.log(`fuzzing upstream clients: ${count} responses, seed ${seed}`);
const { stricter, deviations, ...counts } = await fuzz(seed, count, (done) => {
  if (done % EVERY === 0) console.log(`${done} done`);
});
for (const deviation of deviations.slice(0, 5)) console.log(deviation);
console.log(JSON.stringify({ ok: deviations.length === 0, seed, ...counts, stricter: stricter.length }));
if (stricter.length > 0) console.log(`refused by ours alone, for example: ${JSON.stringify(stricter.slice(0, 3))}`);
process.exitCode = deviations.length === 0 ? 0 : 1;
