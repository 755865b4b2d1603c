// The smallest value that conforms to a JSON Schema, always the same. Covers what callers send for tools and structured
// output; unknown keywords are ignored.
import { asList, asNumber, asRecord, asRecords, isRecord, type JsonRecord } from '../json-value.ts';

const MAX_DEPTH = 24;

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-02T03:04:05Z',
  date: '2026-01-02',
  time: '03:04:05Z',
  duration: 'P1D',
  email: 'someone@example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  hostname: 'example.com',
};

export function exampleFor(schema: unknown): unknown {
  return isRecord(schema) ? exampleOf(schema, schema, 0) : {};
}

function exampleOf(given: unknown, root: JsonRecord, depth: number): unknown {
  if (!isRecord(given) || depth > MAX_DEPTH) return null;
  const schema = resolve(given, root);
  if ('const' in schema) return schema['const'];
  const choices = asList(schema['enum']);
  if (choices.length > 0) return choices[0];
  const alternatives = asList(schema['anyOf'] ?? schema['oneOf']);
  if (alternatives.length > 0) {
    // A recursive schema ends with its null branch once it is deep enough.
    const closing = depth > MAX_DEPTH / 4 ? alternatives.find((one) => asRecord(one)['type'] === 'null') : undefined;
    return exampleOf(closing ?? alternatives[0], root, depth + 1);
  }
  const parts = asRecords(schema['allOf']).map((part) => resolve(part, root));
  const properties = Object.assign({}, ...[...parts, schema].map((part) => asRecord(part['properties'])));
  const merged: JsonRecord = parts.length === 0 ? schema : Object.assign({}, ...parts, schema, { properties });
  switch (typeName(merged)) {
    case 'object':
      return exampleObject(merged, root, depth);
    case 'array': {
      const { prefixItems, minItems, items = {} } = merged;
      const prefix = asList(prefixItems).map((item) => exampleOf(item, root, depth + 1));
      const length = Math.max(prefix.length, asNumber(minItems) ?? (depth < MAX_DEPTH / 4 ? 1 : 0));
      const rest = length - prefix.length;
      return rest === 0 ? prefix : [...prefix, ...Array(rest).fill(exampleOf(items, root, depth + 1))];
    }
    case 'integer':
    case 'number': {
      const { exclusiveMinimum, minimum, maximum, multipleOf } = merged;
      const exclusive = asNumber(exclusiveMinimum);
      const low = exclusive === undefined ? asNumber(minimum) : exclusive + 1;
      const value = low ?? Math.min(1, asNumber(maximum) ?? 1);
      const step = asNumber(multipleOf);
      return step === undefined ? value : Math.ceil(value / step) * step;
    }
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'string': {
      const text = FORMATS[String(merged['format'])] ?? 'example';
      const shortened = text.slice(0, asNumber(merged['maxLength']) ?? text.length);
      return shortened.padEnd(asNumber(merged['minLength']) ?? 0, 'x');
    }
    default:
      return {};
  }
}

function resolve(schema: JsonRecord, root: JsonRecord): JsonRecord {
  const reference = schema['$ref'];
  if (typeof reference !== 'string' || !reference.startsWith('#')) return schema;
  let target: unknown = root;
  for (const segment of reference.split('/').slice(1)) {
    target = asRecord(target)[segment.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return asRecord(target);
}

function typeName(schema: JsonRecord): unknown {
  const type = schema['type'];
  if (Array.isArray(type)) return type.find((one) => one !== 'null') ?? 'null';
  if (type !== undefined) return type;
  if ('properties' in schema) return 'object';
  return 'items' in schema ? 'array' : undefined;
}

function exampleObject(schema: JsonRecord, root: JsonRecord, depth: number): JsonRecord {
  const required = asList(schema['required']);
  const members: [string, unknown][] = [];
  for (const [name, member] of Object.entries(asRecord(schema['properties'])))
    if (required.includes(name) || depth < MAX_DEPTH / 4) members.push([name, exampleOf(member, root, depth + 1)]);
  return Object.fromEntries(members);
}
