// Google reads member names in camel case and in snake case; the result has only camel case.

import { isRecord, type JsonRecord } from '../../json-value.ts';
import { SENTINELS } from './check-seals.ts';

/** Members with the caller's own data, which are never respelled. */
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

/** Members that hold a list, and accept a single object instead. */
const LISTS: ReadonlySet<string> = new Set(['contents', 'parts', 'tools', 'functionDeclarations', 'safetySettings']);
/** Bytes, in either alphabet. */
const BYTES: ReadonlySet<string> = new Set(['data', 'thoughtSignature']);
/** Enums, in upper or lower case. */
const ENUMS: ReadonlySet<string> = new Set(['mode']);

export function inCamelCase(record: JsonRecord): JsonRecord {
  return Object.fromEntries(
    Object.entries(record).flatMap(([given, value]) => {
      const name = given.replaceAll(/_([a-z])/gu, (_match, letter: string) => letter.toUpperCase());
      // Null counts as absent.
      if (value === null) return [];
      if (FREE_FORM.has(name)) return [[name, value]];
      if (name !== 'properties' || !isRecord(value)) return [[name, respellMember(name, value)]];
      return [[name, Object.fromEntries(Object.entries(value).map(([key, schema]) => [key, respell(schema)]))]];
    }),
  );
}

function respellMember(name: string, value: unknown): unknown {
  if (typeof value === 'string' && BYTES.has(name)) {
    if (SENTINELS.includes(value) || !/^[A-Za-z0-9_-]*={0,2}$/u.test(value) || !/[-_]/u.test(value)) return value;
    const standard = value.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/u, '');
    return standard.padEnd(Math.ceil(standard.length / 4) * 4, '=');
  }
  if (typeof value === 'string' && ENUMS.has(name)) return value.toUpperCase();
  // An empty object is an error; any other is a list of one.
  if (LISTS.has(name) && isRecord(value) && Object.keys(value).length > 0) return [respell(value)];
  return respell(value);
}

function respell(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(respell);
  return isRecord(value) ? inCamelCase(value) : value;
}
