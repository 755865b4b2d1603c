/** `npm run console:schema`: types of the admin API from its OpenAPI document. */
import { readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';

const DOCUMENT = new URL('../../../docs/reference/admin-api.json', import.meta.url);
export const SCHEMA = new URL('../src/api/schema.ts', import.meta.url);

export async function schemaText(): Promise<string> {
  const document = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as Parameters<typeof openapiTS>[0];
  return `// Generated from docs/reference/admin-api.json by \`npm run console:schema\`. Not to be edited.\n${astToString(await openapiTS(document))}`;
}

if (import.meta.main) writeFileSync(SCHEMA, await schemaText());
