import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { configJsonSchema } from '../packages/gateway/src/config/json-schema.ts';
import { fencesOf, tablesOf } from '../tests/docs/markdown.ts';
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

  const sections = Object.entries((configJsonSchema() as { properties: Record<string, object> }).properties);
  const examples = new Map(
    fencesOf(configDocument()).flatMap(({ info, text }) =>
      info === 'yaml' ? Object.entries(parse(text) as Record<string, unknown>) : [],
    ),
  );
  test.each(sections)('the example of %s has the form that the schema asks for', (name, schema) => {
    const validate = new Ajv({ strict: false }).compile(schema);
    validate(examples.get(name));
    expect(validate.errors ?? []).toEqual([]);
  });
  test('the examples have every row', () => {
    const rows = [...tablesOf(configDocument())].flatMap(([heading, cells]) =>
      heading === 'Environment' ? [] : cells.map(([field = '']) => field.replaceAll('`', '')),
    );
    expect(rows.length).toBeGreaterThan(300);
    expect(rows.filter((row) => valueAt(examples, row) === undefined)).toEqual([]);
  });
});

/** The value a row describes; in lists the first element, in maps any key. */
function valueAt(examples: ReadonlyMap<string, unknown>, row: string): unknown {
  const [section = '', ...steps] = row.replaceAll('[]', '.0').split('.');
  return steps.reduce<unknown>((value, step) => {
    if (typeof value !== 'object' || value === null) return undefined;
    return step === '<id>' ? Object.values(value)[0] : (value as Record<string, unknown>)[step];
  }, examples.get(section));
}
