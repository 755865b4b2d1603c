// Function declarations, their schemas, the combination of tools, and the calling mode.
import { asList, asRecord, asRecords, asText, isRecord, type JsonRecord, textsOf } from '../../json-value.ts';
import { firstOf, repeatAt } from '../judgement.ts';
import type { Path } from '../shape-check.ts';
import type { GenerateModelFamily } from './models.ts';
import { type GenerateRefusal, invalid, violation } from './refusal.ts';

const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/u;
const MAX_SCHEMA_DEPTH = 32;

export function declarationsOf(body: JsonRecord): readonly JsonRecord[] {
  return asRecords(body['tools']).flatMap((tool) => asRecords(tool['functionDeclarations']));
}

export function checkTools(body: JsonRecord, family: GenerateModelFamily): GenerateRefusal | undefined {
  const tools = asRecords(body['tools']);
  const refusal = firstOf(tools, (tool, at) =>
    firstOf(asRecords(tool['functionDeclarations']), ({ name, parameters, parametersJsonSchema }, place) => {
      const path = ['tools', at, 'functionDeclarations', place];
      if (!NAME.test(asText(name)))
        return violation(
          [...path, 'name'],
          'Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.',
        );
      if (parameters !== undefined && parametersJsonSchema !== undefined)
        return violation(path, 'parameters and parameters_json_schema are mutually exclusive.');
      return checkSchema(parameters, [...path, 'parameters'], 0);
    }),
  );
  if (refusal !== undefined) return refusal;
  const names = textsOf(declarationsOf(body), 'name');
  const repeated = names[repeatAt(names)];
  if (repeated !== undefined) return invalid(`Duplicate function declaration found: ${repeated}`);
  const kinds = new Set(tools.flatMap((tool) => Object.keys(tool)));
  if (kinds.has('functionDeclarations') && kinds.size > 1 && !family.mixesTools)
    return invalid('Tool use with function calling is unsupported');
  const { mode, allowedFunctionNames } = asRecord(asRecord(body['toolConfig'])['functionCallingConfig']);
  const allowed = asList(allowedFunctionNames).map(asText);
  if (mode === 'ANY' && tools.length === 0)
    return invalid('Function calling config is set without function_declarations.');
  if (allowed.length > 0 && mode !== 'ANY' && mode !== 'VALIDATED')
    return invalid('Function calling mode should be ANY or VALIDATED if allowed_function_names is set.');
  const unknown = allowed.find((name) => !names.includes(name));
  if (unknown === undefined) return undefined;
  return invalid(`allowed_function_names: ${unknown} is not in function_declarations.`);
}

/** The part of OpenAPI that Google reads; the shape check has refused unknown keywords. */
export function checkSchema(schema: unknown, path: Path, depth: number): GenerateRefusal | undefined {
  if (!isRecord(schema)) return undefined;
  if (depth > MAX_SCHEMA_DEPTH) return violation(path, 'schema is nested too deeply');
  const type = asText(schema['type']).toUpperCase();
  const properties = asRecord(schema['properties']);
  const names = Object.keys(properties);
  if (type === '' && schema['anyOf'] === undefined) return violation([...path, 'type'], 'must be specified');
  if (type === 'ARRAY' && schema['items'] === undefined) return violation([...path, 'items'], 'missing field.');
  if (schema['enum'] !== undefined && type !== 'STRING') {
    return violation([...path, 'enum'], 'only allowed for STRING type');
  }
  const undefinedName = asList(schema['required']).findIndex((name) => !names.includes(asText(name)));
  if (undefinedName >= 0) return violation([...path, 'required', undefinedName], 'property is not defined');
  const children = [
    ...names.map((name) => [['properties', name], properties[name]] as const),
    ...asList(schema['anyOf']).map((one, at) => [['anyOf', at], one] as const),
    [['items'], schema['items']] as const,
  ];
  return firstOf(children, ([step, child]) => checkSchema(child, [...path, ...step], depth + 1));
}
