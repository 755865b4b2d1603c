// Google reads member names in camel case and in snake case; after this there is only camel case.
import { isRecord, type JsonRecord } from '../../json-value.ts';

/** Members whose insides belong to the caller and are never respelled. */
const FREE_FORM: ReadonlySet<string> = new Set([
  'args',
  'response',
  'parametersJsonSchema',
  'responseJsonSchema',
  'labels',
  'partMetadata',
  'default',
  'example',
]);

function camel(name: string): string {
  return name.replaceAll(/_([a-z])/gu, (_match, letter: string) => letter.toUpperCase());
}

export function inCamelCase(record: JsonRecord): JsonRecord {
  return Object.fromEntries(
    Object.entries(record).map(([given, value]) => {
      const name = camel(given);
      if (FREE_FORM.has(name)) return [name, value];
      return [name, name === 'properties' && isRecord(value) ? mapValues(value) : respell(value)];
    }),
  );
}

function mapValues(record: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, respell(value)]));
}

function respell(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(respell);
  return isRecord(value) ? inCamelCase(value) : value;
}
