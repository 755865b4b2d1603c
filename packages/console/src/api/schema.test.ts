import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SCHEMA, schemaText } from '../../build/generate-schema.ts';

test('the types of the admin API are those of its document (else: npm run console:schema)', async () =>
  expect(readFileSync(SCHEMA, 'utf8') === (await schemaText())).toBe(true));
