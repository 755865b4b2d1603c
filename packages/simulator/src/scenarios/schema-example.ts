// The smallest value that conforms to a JSON Schema, always the same. Covers what callers send for tools and structured
// output; unknown keywords are ignored.
import { asList, asNumber, asRecord, isRecord, type JsonRecord } from '../json-value.ts';

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
  if (alternatives.length > 0) return exampleOf(pickAlternative(alternatives, depth), root, depth + 1);
  const merged = mergeAllOf(schema, root);
  switch (typeName(merged)) {
    case 'object':
      return exampleObject(merged, root, depth);
    case 'array':
      return exampleArray(merged, root, depth);
    case 'integer':
    case 'number':
      return exampleNumber(merged);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'string':
      return exampleString(merged);
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

/** A recursive schema ends with its null branch once it is deep enough. */
function pickAlternative(alternatives: readonly unknown[], depth: number): unknown {
  const closing = alternatives.find((one) => asRecord(one)['type'] === 'null');
  return depth > MAX_DEPTH / 4 && closing !== undefined ? closing : alternatives[0];
}

function mergeAllOf(schema: JsonRecord, root: JsonRecord): JsonRecord {
  const parts = asList(schema['allOf']).map((part) => resolve(asRecord(part), root));
  if (parts.length === 0) return schema;
  const properties = Object.assign({}, ...[...parts, schema].map((part) => asRecord(part['properties'])));
  return Object.assign({}, ...parts, schema, { properties });
}

function typeName(schema: JsonRecord): unknown {
  const type = schema['type'];
  if (Array.isArray(type)) return type.find((one) => one !== 'null') ?? 'null';
  if (type !== undefined) return type;
  if ('properties' in schema) return 'object';
  return 'items' in schema ? 'array' : undefined;
}

function exampleObject(schema: JsonRecord, root: JsonRecord, depth: number): JsonRecord {
  const required = new Set(asList(schema['required']));
  const members = Object.entries(asRecord(schema['properties']))
    .filter(([name]) => required.has(name) || depth < MAX_DEPTH / 4)
    .map(([name, member]) => [name, exampleOf(member, root, depth + 1)] as const);
  return Object.fromEntries(members);
}

function exampleArray(schema: JsonRecord, root: JsonRecord, depth: number): readonly unknown[] {
  const prefix = asList(schema['prefixItems']).map((item) => exampleOf(item, root, depth + 1));
  const length = Math.max(prefix.length, asNumber(schema['minItems']) ?? (depth < MAX_DEPTH / 4 ? 1 : 0));
  const rest = Array.from({ length: length - prefix.length }, () => exampleOf(schema['items'] ?? {}, root, depth + 1));
  return [...prefix, ...rest];
}

function exampleNumber(schema: JsonRecord): number {
  const exclusive = asNumber(schema['exclusiveMinimum']);
  const low = exclusive === undefined ? asNumber(schema['minimum']) : exclusive + 1;
  const high = asNumber(schema['maximum']);
  const value = low ?? Math.min(1, high ?? 1);
  const step = asNumber(schema['multipleOf']);
  return step === undefined ? value : Math.ceil(value / step) * step;
}

function exampleString(schema: JsonRecord): string {
  const text = FORMATS[String(schema['format'])] ?? 'example';
  const shortened = text.slice(0, asNumber(schema['maxLength']) ?? text.length);
  return shortened.padEnd(asNumber(schema['minLength']) ?? 0, 'x');
}
