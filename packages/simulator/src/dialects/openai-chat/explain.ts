// Turns TypeBox's errors into OpenAI's error message.
import { badRequest, bracketPath, type ChatRefusal, foundPhrase, typePhrase } from './refusal.ts';

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
}

export interface SchemaCheck {
  Check(value: unknown): boolean;
  Errors(value: unknown): readonly SchemaError[];
}

type Path = readonly (string | number)[];

export interface ExplainOptions {
  /** The path of the checked value in the request. */
  readonly at: Path;
  /** For servers that ignore unknown members. */
  readonly ignoreUnknown: boolean;
}

export function explain(check: SchemaCheck, value: unknown, options: ExplainOptions): ChatRefusal | undefined {
  if (check.Check(value)) return undefined;
  const errors = check.Errors(value).filter((error) => isTelling(error, options.ignoreUnknown));
  const leading = topSegment(errors[0]);
  const candidates = errors.filter((error) => topSegment(error) === leading);
  const best = candidates.toSorted((one, other) => weight(other) - weight(one))[0];
  if (best === undefined) return undefined;
  const types = candidates
    .filter((error) => error.keyword === 'type' && error.instancePath === best.instancePath)
    .map((error) => String(param(error, 'type')));
  return describe(best, types, value, options.at);
}

function isTelling(error: SchemaError, ignoreUnknown: boolean): boolean {
  if (error.keyword === 'anyOf' || error.keyword === 'boolean') return false;
  if (error.keyword === 'type' && param(error, 'type') === 'null') return false;
  return !(ignoreUnknown && error.keyword === 'additionalProperties');
}

function topSegment(error: SchemaError | undefined): string | undefined {
  return error?.instancePath.split('/')[1];
}

/** Of the branches of a union, the deepest error that is not a mere type mismatch is the most specific. */
function weight(error: SchemaError): number {
  return error.instancePath.split('/').length * 2 + (error.keyword === 'type' ? 0 : 1);
}

function param(error: SchemaError, name: string): unknown {
  return Object.entries(error.params).find(([key]) => key === name)?.[1];
}

function describe(error: SchemaError, types: readonly string[], value: unknown, at: Path): ChatRefusal {
  const inner = segmentsOf(error.instancePath, value);
  const path = [...at, ...inner.segments];
  const name = bracketPath(path);
  const found = inner.value;
  switch (error.keyword) {
    case 'required': {
      const missing = bracketPath([...path, String(firstOf(param(error, 'requiredProperties')))]);
      return badRequest(`Missing required parameter: '${missing}'.`, missing, 'missing_required_parameter');
    }
    case 'additionalProperties': {
      const unknown = bracketPath([...path, String(firstOf(param(error, 'additionalProperties')))]);
      return badRequest(`Unknown parameter: '${unknown}'.`, unknown, 'unknown_parameter');
    }
    case 'type': {
      const expected = types.map(typePhrase).join(' or ');
      const one = types.length > 1 ? 'one of ' : '';
      const message = `Invalid type for '${name}': expected ${one}${expected}, but got ${foundPhrase(found)} instead.`;
      return badRequest(message, name, 'invalid_type');
    }
    case 'enum': {
      const allowed = listOf(param(error, 'allowedValues'))
        .map((one) => `'${String(one)}'`)
        .join(', ');
      return badRequest(`Invalid value: '${String(found)}'. Supported values are: ${allowed}.`, name, 'invalid_value');
    }
    case 'const': {
      const allowed = String(param(error, 'allowedValue'));
      return badRequest(
        `Invalid value: '${String(found)}'. Supported values are: '${allowed}'.`,
        name,
        'invalid_value',
      );
    }
    default:
      return describeLimit(error, name, found);
  }
}

/** The vendor names the declared type, not the one it found. */
const INTEGER_PARAMETERS: ReadonlySet<string> = new Set([
  'n',
  'seed',
  'max_tokens',
  'max_completion_tokens',
  'top_logprobs',
  'top_k',
]);

function describeLimit(error: SchemaError, name: string, found: unknown): ChatRefusal {
  const limit = String(param(error, 'limit'));
  const number = INTEGER_PARAMETERS.has(name) ? 'integer' : 'decimal';
  switch (error.keyword) {
    case 'maximum':
      return outside(
        name,
        `${number} above maximum value. Expected a value <= ${limit}, but got ${found}`,
        `${number}_above_max_value`,
      );
    case 'minimum':
    case 'exclusiveMinimum':
      return outside(
        name,
        `${number} below minimum value. Expected a value >= ${limit}, but got ${found}`,
        `${number}_below_min_value`,
      );
    case 'maxItems':
      return outside(
        name,
        `array too long. Expected an array with maximum length ${limit}, but got an array with length ${sizeOf(found)}`,
        'array_above_max_length',
      );
    case 'minItems':
      return outside(
        name,
        `empty array. Expected an array with minimum length ${limit}, but got an empty array`,
        'empty_array',
      );
    case 'maxLength':
      return outside(
        name,
        `string too long. Expected a string with maximum length ${limit}, but got a string with length ${sizeOf(found)}`,
        'string_above_max_length',
      );
    case 'minLength':
      return outside(
        name,
        `empty string. Expected a string with minimum length ${limit}, but got an empty string`,
        'empty_string',
      );
    case 'maxProperties':
      return outside(
        name,
        `too many properties. Expected an object with at most ${limit} properties, but got an object with ${sizeOf(found)} properties`,
        'object_above_max_properties',
      );
    case 'pattern': {
      const pattern = String(param(error, 'pattern'));
      const message = `Invalid '${name}': string does not match pattern. Expected a string that matches the pattern '${pattern}'.`;
      return badRequest(message, name, 'invalid_value');
    }
    default:
      return badRequest(`Invalid value for '${name}'.`, name, 'invalid_value');
  }
}

function outside(name: string, what: string, code: string): ChatRefusal {
  return badRequest(`Invalid '${name}': ${what} instead.`, name, code);
}

function segmentsOf(pointer: string, root: unknown): { readonly segments: Path; readonly value: unknown } {
  let value = root;
  const segments = pointer
    .split('/')
    .slice(1)
    .map((escaped) => {
      const key = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
      const inArray = Array.isArray(value);
      value = Object(value)[key];
      return inArray ? Number(key) : key;
    });
  return { segments, value };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function firstOf(value: unknown): unknown {
  return listOf(value)[0];
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return Object.keys(Object(value)).length;
}
