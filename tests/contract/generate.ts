/** Writes the schemas of `wire-types.ts` to the file it is given. A process of its own: the compiler it loads is large. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createGenerator } from 'ts-json-schema-generator';

const [target = ''] = process.argv.slice(2);
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const generator = createGenerator({
  path: here('wire-types.ts'),
  tsconfig: here('tsconfig.generate.json'),
  // `npm run typecheck` has done so, with the compiler this project uses.
  skipTypeCheck: true,
  expose: 'all',
  topRef: false,
  jsDoc: 'none',
  additionalProperties: false,
});
// The makers use the same names for different types: each has definitions of its own.
const makers = ['OpenAI', 'Anthropic', 'Google', 'Cohere', 'Voyage'].map((maker) => [
  maker,
  generator.createSchema(`${maker}Wire`),
]);
writeFileSync(target, JSON.stringify(Object.fromEntries(makers)));
