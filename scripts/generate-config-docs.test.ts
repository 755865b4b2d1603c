import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configDocument } from './generate-config-docs.ts';

describe('docs/configuration.md', () => {
  it('is what the schema says today', () => {
    const written = readFileSync(new URL('../docs/configuration.md', import.meta.url), 'utf8');
    expect(written).toBe(configDocument());
  });

  it('names every section and bound', () => {
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
