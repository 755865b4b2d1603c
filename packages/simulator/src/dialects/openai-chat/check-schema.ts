// JSON Schemas inside a request: arguments are objects; strict schemas close every object and require every member.
import { asList, asRecord, isRecord, type JsonRecord } from '../../json-value.ts';
import { badRequest, bracketPath, type ChatRefusal } from './refusal.ts';

const MAX_STRICT_DEPTH = 32;

export function checkFunctionSchema(definition: JsonRecord, at: number): ChatRefusal | undefined {
  const schema = definition['parameters'];
  if (!isRecord(schema)) return undefined;
  const param = bracketPath(['tools', at, 'function', 'parameters']);
  const subject = `function '${String(definition['name'])}'`;
  const type = schema['type'];
  if (type !== 'object' && Object.keys(schema).length > 0) {
    const got = type === undefined ? 'None' : String(type);
    const message = `Invalid schema for ${subject}: schema must be a JSON Schema of 'type: "object"', got 'type: "${got}"'.`;
    return badRequest(message, param, 'invalid_function_parameters');
  }
  if (definition['strict'] !== true) return undefined;
  const problem = strictProblem(schema, [], 0);
  if (problem === undefined) return undefined;
  return badRequest(`Invalid schema for ${subject}: ${problem}`, param, 'invalid_function_parameters');
}

export function checkOutputSchema(format: JsonRecord): ChatRefusal | undefined {
  if (format['strict'] !== true) return undefined;
  const problem = strictProblem(asRecord(format['schema']), [], 0);
  if (problem === undefined) return undefined;
  return badRequest(`Invalid schema for response_format '${String(format['name'])}': ${problem}`, 'response_format');
}

function strictProblem(schema: unknown, context: readonly string[], depth: number): string | undefined {
  if (!isRecord(schema)) return undefined;
  if (depth > MAX_STRICT_DEPTH) return 'the schema is nested too deeply.';
  return closedObjectProblem(schema, context) ?? childProblem(schema, context, depth);
}

function closedObjectProblem(schema: JsonRecord, context: readonly string[]): string | undefined {
  const type = schema['type'];
  if (type !== 'object' && !(Array.isArray(type) && type.includes('object'))) return undefined;
  const place = `In context=(${context.map((one) => `'${one}'`).join(', ')})`;
  if (schema['additionalProperties'] !== false) {
    return `${place}, 'additionalProperties' is required to be supplied and to be false.`;
  }
  const required = asList(schema['required']);
  const missing = Object.keys(asRecord(schema['properties'])).find((name) => !required.includes(name));
  if (missing === undefined) return undefined;
  return `${place}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
}

function childProblem(schema: JsonRecord, context: readonly string[], depth: number): string | undefined {
  const children: (readonly [readonly string[], unknown])[] = [
    ...Object.entries(asRecord(schema['properties'])).map(([name, child]) => [['properties', name], child] as const),
    ...Object.entries(asRecord(schema['$defs'])).map(([name, child]) => [['$defs', name], child] as const),
    ...asList(schema['anyOf']).map((child, at) => [['anyOf', String(at)], child] as const),
    [['items'], schema['items']],
  ];
  for (const [step, child] of children) {
    const problem = strictProblem(child, [...context, ...step], depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
