/**
 * Converts between JSON Schema and the smaller schema language of generative-content tools (OpenAPI's, with upper-case
 * types). To JSON Schema nothing is lost. In the other direction, a keyword the smaller language lacks is approximated
 * or dropped.
 */
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../canonical/json.ts';

/** Inlining references can multiply a schema; above this many nodes it is treated like a recursive one. */
const MAX_SCHEMA_NODES = 20_000;

type Writable = Record<string, Json>;

/** The smaller language → JSON Schema. The order of properties replaces `propertyOrdering`. */
export function fromOpenApi(schema: JsonObject): JsonObject {
  const out: Writable = {};
  for (const [name, value] of Object.entries(schema)) {
    switch (name) {
      case 'type':
        out['type'] = typeof value === 'string' ? value.toLowerCase() : value;
        break;
      case 'nullable':
      case 'propertyOrdering':
        break;
      case 'items':
      case 'additionalProperties':
        out[name] = isJsonObject(value) ? fromOpenApi(value) : value;
        break;
      case 'properties':
        out['properties'] = isJsonObject(value) ? fromProperties(value, schema['propertyOrdering']) : value;
        break;
      case 'anyOf':
      case 'oneOf':
        out['anyOf'] = isJsonArray(value)
          ? value.map((each) => (isJsonObject(each) ? fromOpenApi(each) : each))
          : value;
        break;
      case 'example':
        out['examples'] = [value];
        break;
      case 'enum':
        out['enum'] = isJsonArray(value) ? fromEnum(value, schema['type']) : value;
        break;
      case 'minItems':
      case 'maxItems':
      case 'minLength':
      case 'maxLength':
      case 'minProperties':
      case 'maxProperties':
        out[name] = typeof value === 'string' ? Number(value) : value;
        break;
      default:
        out[name] = value;
    }
  }
  return schema['nullable'] === true ? nullable(out) : out;
}

/** Enums hold text whatever the type is. JSON Schema compares values, so that text would never match a number. */
function fromEnum(values: readonly Json[], type: Json | undefined): readonly Json[] {
  const named = typeof type === 'string' ? type.toLowerCase() : undefined;
  if (named !== 'integer' && named !== 'number') return values;
  const numbers = values.map((value) =>
    typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN,
  );
  return numbers.every(named === 'integer' ? Number.isSafeInteger : Number.isFinite) ? numbers : values;
}

function nullable(schema: Writable): JsonObject {
  const { type, anyOf } = schema;
  const values = schema['enum'];
  if (typeof type !== 'string') return isJsonArray(anyOf) ? { ...schema, anyOf: [...anyOf, { type: 'null' }] } : schema;
  return { ...schema, type: [type, 'null'], ...(isJsonArray(values) && { enum: [...values, null] }) };
}

function fromProperties(properties: JsonObject, ordering: Json | undefined): JsonObject {
  const first = isJsonArray(ordering) ? ordering.filter((name) => typeof name === 'string') : [];
  const names = [...new Set([...first.filter((name) => Object.hasOwn(properties, name)), ...Object.keys(properties)])];
  return Object.fromEntries(
    names.map((name) => {
      const property = properties[name] ?? {};
      return [name, isJsonObject(property) ? fromOpenApi(property) : property];
    }),
  );
}

/** JSON Schema without references; undefined if it is recursive, refers to nothing, or grows beyond the node limit. */
export function withoutReferences(schema: JsonObject): JsonObject | undefined {
  const inlining = new Inlining(schema);
  const out = inlining.node(schema, []);
  return inlining.failed || !isJsonObject(out) ? undefined : out;
}

const NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas']);

class Inlining {
  failed = false;
  readonly #root: JsonObject;
  #nodes = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  node(node: Json, within: readonly string[]): Json {
    if (this.failed) return {};
    if (++this.#nodes > MAX_SCHEMA_NODES) {
      this.failed = true;
      return {};
    }
    if (isJsonArray(node)) return node.map((each) => this.node(each, within));
    if (!isJsonObject(node)) return node;
    const reference = node['$ref'];
    if (typeof reference === 'string') return this.#referred(reference, node, within);
    return Object.fromEntries(
      Object.entries(node)
        .filter(([name]) => name !== '$defs' && name !== 'definitions')
        .map(([name, value]) => [name, NAMED.has(name) ? this.#named(value, within) : this.node(value, within)]),
    );
  }

  /** Schemas by names of the caller, which may look like keywords. */
  #named(map: Json, within: readonly string[]): Json {
    if (!isJsonObject(map)) return map;
    return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, this.node(value, within)]));
  }

  #referred(reference: string, node: JsonObject, within: readonly string[]): Json {
    const found = within.includes(reference) ? undefined : pointedAt(this.#root, reference);
    if (!isJsonObject(found)) {
      this.failed = true;
      return {};
    }
    const { $ref: _, ...beside } = node;
    const inner = this.node(found, [...within, reference]);
    const siblings = this.node(beside, within);
    return isJsonObject(inner) && isJsonObject(siblings) ? { ...inner, ...siblings } : inner;
  }
}

function pointedAt(root: JsonObject, reference: string): Json | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let node: Json | undefined = root;
  for (const raw of reference.slice(2).split('/')) {
    const step = decodeURIComponentSafely(raw).replaceAll('~1', '/').replaceAll('~0', '~');
    node = isJsonObject(node)
      ? Object.hasOwn(node, step)
        ? node[step]
        : undefined
      : isJsonArray(node)
        ? node[Number(step)]
        : undefined;
  }
  return node;
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Keywords that are the same in the smaller language. */
const KEPT: ReadonlySet<string> = new Set([
  'format',
  'description',
  'required',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
  'pattern',
  'title',
]);

export type Lowered = {
  readonly schema: JsonObject;
  /** The result no longer enforces a constraint of the schema. */
  readonly loosened: boolean;
};

/** JSON Schema → the smaller language; undefined if `withoutReferences` is. */
export function toOpenApi(schema: JsonObject): Lowered | undefined {
  const plain = withoutReferences(schema);
  if (plain === undefined) return undefined;
  const lowering = new Lowering();
  return { schema: lowering.schema(plain), loosened: lowering.loosened };
}

class Lowering {
  loosened = false;

  schema(node: Json): JsonObject {
    // `true` is the schema that accepts everything; `false`, which accepts nothing, has no equivalent here.
    if (!isJsonObject(node)) {
      if (node === false) this.loosened = true;
      return {};
    }
    const out: Writable = {};
    this.#type(node, out);
    for (const [name, value] of Object.entries(node)) this.#keyword(name, value, node, out);
    return out;
  }

  #type(node: JsonObject, out: Writable): void {
    const { type } = node;
    if (typeof type === 'string') {
      if (type === 'null') out['nullable'] = true;
      else out['type'] = type.toUpperCase();
      return;
    }
    if (!isJsonArray(type)) return;
    const types = type.filter((each) => typeof each === 'string' && each !== 'null');
    if (types.length < type.length) out['nullable'] = true;
    if (types.length === 1) out['type'] = String(types[0]).toUpperCase();
    else if (types.length > 1) out['anyOf'] = types.map((each) => ({ type: String(each).toUpperCase() }));
  }

  #keyword(name: string, value: Json, node: JsonObject, out: Writable): void {
    switch (name) {
      case 'type':
      case '$schema':
      case '$id':
      case '$comment':
      case 'default':
      case 'examples':
        return;
      case 'items':
        // A tuple becomes a list whose items may have any of its types.
        if (isJsonArray(value)) {
          this.loosened = true;
          out['items'] = { anyOf: value.map((each) => this.schema(each)) };
        } else out['items'] = this.schema(value);
        return;
      case 'properties':
        if (!isJsonObject(value)) return;
        out['properties'] = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.schema(each)]));
        out['propertyOrdering'] = Object.keys(value);
        return;
      case 'anyOf':
      case 'oneOf':
        if (isJsonArray(value)) this.#anyOf(value, out);
        return;
      case 'enum':
        if (isJsonArray(value)) this.#enum(value, out);
        return;
      case 'const':
        this.#enum([value], out);
        return;
      case 'exclusiveMinimum':
      case 'exclusiveMaximum':
        this.#exclusive(name, value, node, out);
        return;
      default:
        if (KEPT.has(name)) out[name] = value;
        else this.loosened = true;
    }
  }

  #anyOf(options: readonly Json[], out: Writable): void {
    const real = options.filter((each) => !(isJsonObject(each) && each['type'] === 'null'));
    if (real.length < options.length) out['nullable'] = true;
    const only = real[0];
    if (real.length === 1 && only !== undefined) Object.assign(out, { ...this.schema(only), ...out });
    else out['anyOf'] = real.map((each) => this.schema(each));
  }

  /** Enums may only hold strings: other values are written as text. */
  #enum(values: readonly Json[], out: Writable): void {
    const real = values.filter((value) => value !== null);
    if (real.length < values.length) out['nullable'] = true;
    if (real.some((value) => typeof value !== 'string')) this.loosened = true;
    out['type'] = 'STRING';
    out['enum'] = real.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  }

  /** For an integer the neighbouring number is an exact inclusive bound; otherwise the bound itself is the nearest. */
  #exclusive(name: 'exclusiveMinimum' | 'exclusiveMaximum', value: Json, node: JsonObject, out: Writable): void {
    if (typeof value !== 'number') return;
    const whole = node['type'] === 'integer' && Number.isInteger(value);
    if (!whole) this.loosened = true;
    if (name === 'exclusiveMinimum') out['minimum'] ??= whole ? value + 1 : value;
    else out['maximum'] ??= whole ? value - 1 : value;
  }
}
