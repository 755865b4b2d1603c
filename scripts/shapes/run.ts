/** `npm run shapes`: writes what is known of the shapes of answers. `--check` only says whether the files are as it would write them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { makeShapes, SHAPED_DIALECTS } from './make.ts';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const FOLDER = new URL('../../packages/gateway/shapes/', import.meta.url);
mkdirSync(FOLDER, { recursive: true });
for (const dialect of SHAPED_DIALECTS) {
  const file = new URL(`${dialect}.json`, FOLDER);
  const { roots, order } = await makeShapes(dialect);
  const text = `{"roots":${JSON.stringify(roots)},\n"order":${JSON.stringify(order)}}\n`;
  if (!values.check) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${dialect}.json is out of date: npm run shapes`);
    process.exitCode = 1;
  }
  console.log(`${dialect}: ${text.length} characters, ${order.length} pairs`);
}
