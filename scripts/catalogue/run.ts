/**
 * `npm run catalogue:compare`: the catalogue's limits, inputs and prices against the pinned copy of foreign tables.
 * `--refresh` gathers that copy anew, which needs the network. `--json` ends with one line of counts.
 */
import { parseArgs } from 'node:util';
import { compareCatalogue } from './compare.ts';
import { readFacts } from './facts.ts';
import { readOurSheets } from './ours.ts';
import { refreshFacts } from './refresh.ts';
import { readVerdicts } from './verdicts.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean' }, refresh: { type: 'boolean' } } });
const sheets = await readOurSheets();
if (values.refresh) await refreshFacts(sheets);
const { gathered, sources, facts } = await readFacts();
const result = compareCatalogue(sheets, facts, await readVerdicts());

for (const difference of result.unexplained) console.log(`no verdict: ${JSON.stringify(difference)}`);
for (const verdict of result.dead) console.log(`explains nothing any more: ${JSON.stringify(verdict)}`);
if (!values.json) {
  for (const { id, from, package: name, version } of sources) {
    const rows = facts.filter(({ source }) => source === id).length;
    console.log(`${id}: ${name} ${version} of ${from} states something about ${rows} of our endpoints`);
  }
  console.log(`In no table: ${result.modelsWithoutFacts.join(', ') || 'none'}`);
}
const counts = {
  unexplained: result.unexplained.length,
  dead: result.dead.length,
  differences: result.differences.length,
  models: result.models,
  modelsWithoutFacts: result.modelsWithoutFacts.length,
  endpoints: result.endpoints,
  fields: result.fields,
  values: result.values,
  sources: new Set(facts.map(({ source }) => source)).size,
  gathered,
};
console.log(values.json ? JSON.stringify(counts) : counts);
if (counts.unexplained > 0 || counts.dead > 0) process.exitCode = 1;
