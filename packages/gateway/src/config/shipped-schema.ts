// The JSON schema as the package ships it, written by scripts/generate-config-docs.ts: reading it loads no schema
// library.

import { readFileSync } from 'node:fs';

export const configSchemaText = (): string =>
  readFileSync(new URL('../../config.schema.json', import.meta.url), 'utf8').trimEnd();
