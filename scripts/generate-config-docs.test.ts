import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { configDocument, GENERATED } from './generate-config-docs.ts';

test.each(Object.entries(GENERATED))('%s is what the schema says today', (path, wanted) => {
  expect(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')).toBe(wanted());
});

describe('docs/reference/configuration.md', () => {
  test('names every section and bound', () => {
    const text = configDocument();
    for (const name of [
      'listen.port',
      'limits.eventBytes',
      'timeouts.slowReaderMs',
      'upstream.connectionsPerOrigin',
      'keys[].hash',
    ])
      expect(text).toContain(`\`${name}\``);
  });
});
