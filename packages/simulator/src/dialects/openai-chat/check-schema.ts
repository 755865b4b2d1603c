// JSON Schemas inside a request: arguments are objects; strict schemas close every object and require every member.
import { asList, asRecord, isRecord, type JsonRecord } from '../../json-value.ts';
import { firstOf } from '../judgement.ts';
import { badRequest, bracketPath, type ChatRefusal } from './refusal.ts';

const MAX_STRICT_DEPTH = 32;

export function checkFunctionSchema(definition: JsonRecord, at: number): ChatRefusal | undefined {
  const schema = definition['parameters'];
  if (!isRecord(schema)) return undefined;
  const { type = 'None' } = schema;
  const problem =
    type !== 'object' && Object.keys(schema).length > 0
      ? `schema must be a JSON Schema of 'type: "object"', got 'type: "${String(type)}"'.`
      : definition['strict'] === true
        ? strictProblem(schema, [], 0)
        : undefined;
  if (problem === undefined) return undefined;
  const message = `Invalid schema for function '${String(definition['name'])}': ${problem}`;
  return badRequest(message, bracketPath(['tools', at, 'function', 'parameters']), 'invalid_function_parameters');
}

export function checkOutputSchema(format: JsonRecord): ChatRefusal | undefined {
  const problem = format['strict'] === true ? strictProblem(asRecord(format['schema']), [], 0) : undefined;
  if (problem === undefined) return undefined;
  return badRequest(`Invalid schema for response_format '${String(format['name'])}': ${problem}`, 'response_format');
}

function strictProblem(schema: unknown, context: readonly string[], depth: number): string | undefined {
  if (!isRecord(schema)) return undefined;
  if (depth > MAX_STRICT_DEPTH) return 'the schema is nested too deeply.';
  const { type, items } = schema;
  const properties = asRecord(schema['properties']);
  if (type === 'object' || asList(type).includes('object')) {
    const place = `In context=(${context.map((one) => `'${one}'`).join(', ')})`;
    if (schema['additionalProperties'] !== false)
      return `${place}, 'additionalProperties' is required to be supplied and to be false.`;
    const required = asList(schema['required']);
    const missing = Object.keys(properties).find((name) => !required.includes(name));
    if (missing !== undefined)
      return `${place}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
  }
  const children = Object.entries({ properties, $defs: asRecord(schema['$defs']), anyOf: asList(schema['anyOf']) });
  const named = children.flatMap(([keyword, inner]) =>
    Object.entries(inner).map(([name, child]) => ({ step: [keyword, name], child })),
  );
  return firstOf([...named, { step: ['items'], child: items }], ({ step, child }) =>
    strictProblem(child, [...context, ...step], depth + 1),
  );
}
