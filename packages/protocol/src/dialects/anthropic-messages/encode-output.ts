/** The requested output format → how the model is bound to it here: a schema, a tool, or an instruction. */
import type { OutputFormat } from '../../canonical/call.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import { bindOutput } from '../../passes/bind-output.ts';
import type { LossList } from '../../passes/loss-list.ts';
import type { ModelFacts } from '../dialect.ts';
import type { MessagesQuirks } from './quirks.ts';

type OutputPlan = {
  readonly format?: JsonObject;
  /** A tool whose arguments are the answer; its use is forced. */
  readonly tool?: JsonObject;
  readonly instruction?: string;
};

/** `free`: no tools of the caller and no thinking prevent forcing one. */
export function planOutput(
  output: OutputFormat | undefined,
  model: ModelFacts,
  quirks: MessagesQuirks,
  free: boolean,
  losses: LossList,
): OutputPlan {
  const isNative = quirks.messagesOutput === 'native' && model.structuredOutput;
  const takesTool = quirks.messagesOutput !== 'instruction' && model.tools && free;
  const { schema, tool, ...rest } = bindOutput(
    output,
    isNative ? 'schema' : takesTool ? 'tool' : 'instruction',
    losses,
  );
  return {
    ...rest,
    ...(schema !== undefined && {
      format: {
        type: 'json_schema',
        schema: closedSchema(schema, () => losses.add('output.schema', 'approximated')),
      },
    }),
    ...(tool !== undefined && { tool: { name: tool.name, description: tool.description, input_schema: tool.schema } }),
  };
}

// JSON Schema for hosts that compile it into a grammar and support only part of the language: objects are closed,
// and unsupported constraints move into the description, where the model can read them, instead of being dropped
// silently.

const TOLD_IN_WORDS: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
]);
const FORMATS: ReadonlySet<string> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);
const SCHEMA_MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);
const SCHEMA_LISTS: ReadonlySet<string> = new Set(['anyOf', 'allOf', 'oneOf', 'prefixItems']);

/** `onNarrowed`: an object with members of any name is closed, too, so that it can hold fewer than its schema allows. */
export function closedSchema(schema: JsonObject, onNarrowed: () => void = () => undefined): JsonObject {
  const closed = (value: Json): Json => (isJsonObject(value) ? closedSchema(value, onNarrowed) : value);
  const isObject = schema['type'] === 'object' || schema['properties'] !== undefined;
  const out: Record<string, Json> = {};
  const constraints: string[] = [];
  for (const [name, value] of Object.entries(schema)) {
    if (TOLD_IN_WORDS.has(name) || (name === 'format' && typeof value === 'string' && !FORMATS.has(value)))
      constraints.push(`${name}: ${JSON.stringify(value)}`);
    else if (name === 'additionalProperties' && isObject) {
      if (value === false) continue;
      constraints.push(`${name}: ${JSON.stringify(value)}`);
      onNarrowed();
    } else if (SCHEMA_MAPS.has(name) && isJsonObject(value))
      out[name] = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, closed(inner)]));
    else if (SCHEMA_LISTS.has(name) && isJsonArray(value)) out[name === 'oneOf' ? 'anyOf' : name] = value.map(closed);
    else if (name === 'items') out[name] = closed(value);
    else if (name !== '$schema' && name !== '$id') out[name] = value;
  }
  if (isObject) out['additionalProperties'] = false;
  if (constraints.length > 0) {
    const described = typeof schema['description'] === 'string' ? `${schema['description']} ` : '';
    out['description'] = `${described}(${constraints.join(', ')})`;
  }
  return out;
}
