// Tools, the tool choice, and structured output.
import { asList, asRecord, asText, isRecord, type JsonRecord } from '../../json-value.ts';
import { firstOf } from '../judgement.ts';
import type { MessagesModelFamily } from './models.ts';
import { at, badRequest, type MessagesRefusal } from './refusal.ts';

export function checkTools(body: JsonRecord): MessagesRefusal | undefined {
  const tools = asList(body['tools']).map(asRecord);
  const names = tools.map((tool) => asText(tool['name']));
  const choice = asRecord(body['tool_choice']);
  return firstOf(
    () => (new Set(names).size === names.length ? undefined : badRequest('tools: Tool names must be unique.')),
    () =>
      tools.length > 0 && tools.every((tool) => tool['defer_loading'] === true)
        ? badRequest('All tools have defer_loading set. At least one tool must be non-deferred.')
        : undefined,
    tools.map((tool, index) => () => checkDomains(tool, index)),
    () =>
      body['tool_choice'] !== undefined && tools.length === 0
        ? badRequest('tool_choice may only be specified while providing tools')
        : undefined,
    () =>
      choice['type'] === 'tool' && !names.includes(asText(choice['name']))
        ? badRequest(`Tool '${asText(choice['name'])}' not found in provided tools`)
        : undefined,
  );
}

function checkDomains(tool: JsonRecord, index: number): MessagesRefusal | undefined {
  if (asList(tool['allowed_domains']).length === 0 || asList(tool['blocked_domains']).length === 0) return undefined;
  return at(['tools', index], 'Only one of `allowed_domains` or `blocked_domains` may be specified.');
}

export function checkOutput(body: JsonRecord, family: MessagesModelFamily): MessagesRefusal | undefined {
  const { effort, format } = asRecord(body['output_config']);
  if (typeof effort === 'string' && !family.efforts.includes(effort)) {
    if (family.efforts.length === 0) return badRequest('This model does not support the effort parameter.');
    const supported = family.efforts.join(', ');
    return badRequest(`This model does not support effort level '${effort}'. Supported levels: ${supported}.`);
  }
  return checkSchema(asRecord(format)['schema'], 0);
}

const MAX_SCHEMA_DEPTH = 32;
const UNSUPPORTED = ['minimum', 'maximum', 'multipleOf', 'minLength', 'maxLength', 'maxItems'] as const;

function checkSchema(schema: unknown, depth: number): MessagesRefusal | undefined {
  if (!isRecord(schema)) return undefined;
  if (depth > MAX_SCHEMA_DEPTH) return badRequest('output_config.format.schema: Schema is nested too deeply');
  const type = asText(schema['type']);
  if (type === 'object' && schema['additionalProperties'] !== false) {
    return badRequest(
      "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
    );
  }
  const unsupported = UNSUPPORTED.find((name) => schema[name] !== undefined);
  if (unsupported !== undefined) {
    return badRequest(`output_config.format.schema: For '${type}' type, property '${unsupported}' is not supported`);
  }
  const children = [
    ...Object.values(asRecord(schema['properties'])),
    ...Object.values(asRecord(schema['$defs'])),
    ...asList(schema['anyOf']),
    schema['items'],
  ];
  return firstOf(children.map((child) => () => checkSchema(child, depth + 1)));
}
