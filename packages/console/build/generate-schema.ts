/**
 * `npm run console:schema`: the types of the admin API from its OpenAPI document, into a file that git ignores. Everything that reads
 * the types runs this first; where neither the document nor what makes the types has changed, it costs a hash.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const DOCUMENT = new URL('../../../docs/reference/admin-api.json', import.meta.url);
const SCHEMA = new URL('../src/api/schema.ts', import.meta.url);
const MANIFEST = new URL('../package.json', import.meta.url);

export const readDocument = (): string => readFileSync(DOCUMENT, 'utf8');

export async function schemaText(document: string): Promise<string> {
  // It takes a second to load, which most runs do without.
  const { astToString, default: typesOf } = await import('openapi-typescript');
  return astToString(await typesOf(JSON.parse(document)));
}

if (import.meta.main) {
  const document = readDocument();
  const hash = createHash('sha256').update(document).update(readFileSync(MANIFEST)).digest('hex');
  const head = `// Generated from docs/reference/admin-api.json by \`npm run console:schema\`. Not to be edited. ${hash}\n`;
  if (!existsSync(SCHEMA) || !readFileSync(SCHEMA, 'utf8').startsWith(head))
    writeFileSync(SCHEMA, head + (await schemaText(document)));
}
