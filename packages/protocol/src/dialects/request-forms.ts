/** Forms of a request that several formats share. */
import type { OutputFormat, ToolChoice, WebSearch } from '../canonical/call.ts';
import { isJsonObject, type Json, type JsonObject, stringAt } from '../canonical/json.ts';
import { isGiven, malformed } from './checking.ts';

// Tool choice in chat completions and Responses: the words are shared, the object forms differ.

export type ChoiceWord = 'none' | 'auto' | 'required';

/** The word, or the result of `checkObject` for an object; undefined if the caller chose nothing. */
export function checkToolChoice<Checked>(
  choice: unknown,
  toolCount: number,
  checkObject: (choice: object) => Checked,
): ChoiceWord | Checked | undefined {
  if (!isGiven(choice)) return undefined;
  if (choice === 'none' || choice === 'auto') return choice;
  if (choice === 'required') {
    if (toolCount === 0) throw malformed('tool_choice', 'cannot be required without tools');
    return choice;
  }
  if (typeof choice !== 'object' || choice === null || Array.isArray(choice))
    throw malformed('tool_choice', 'must be one of none, auto, required, or an object');
  return checkObject(choice);
}

export type ChoiceForms = {
  /** Selects one tool. */
  readonly reference: (name: string) => JsonObject;
  /** Allows any of several tools. */
  readonly allowed: (mode: 'auto' | 'required', tools: readonly JsonObject[]) => JsonObject;
};

export function encodeToolChoice(choice: ToolChoice, { reference, allowed }: ChoiceForms): Json {
  switch (choice.mode) {
    case 'auto':
    case 'none':
      return choice.mode;
    case 'any':
      return 'required';
    case 'validated':
      return 'auto';
    case 'one':
      return reference(choice.name);
    case 'some':
      return allowed(choice.required ? 'required' : 'auto', choice.names.map(reference));
  }
}

// The schema of an answer in the same two formats: its members are shared, their place differs.

type SchemaOutput = Extract<OutputFormat, { kind: 'schema' }>;
type SchemaMembers = { readonly [M in 'name' | 'schema' | 'strict' | 'description']?: unknown };

export const decodeSchemaOutput = ({ name, schema, strict, description }: SchemaMembers): SchemaOutput => ({
  kind: 'schema',
  ...(typeof name === 'string' && { name }),
  schema: isJsonObject(schema) ? schema : {},
  ...(typeof strict === 'boolean' && { strict }),
  ...(typeof description === 'string' && { description }),
});

/** One of several words is written as the only member of an object. */
export function encodeSchemaOutput(output: SchemaOutput | Extract<OutputFormat, { kind: 'enum' }>): JsonObject {
  if (output.kind === 'enum') {
    const schema = {
      type: 'object',
      properties: { value: { type: 'string', enum: output.values } },
      required: ['value'],
      additionalProperties: false,
    };
    return { name: 'choice', schema, strict: true };
  }
  const { name, schema, strict, description } = output;
  return {
    name: name ?? 'response',
    schema,
    ...(strict !== undefined && { strict }),
    ...(description !== undefined && { description }),
  };
}

// Where a web search takes place: the same members in every format that has them.

export function decodeLocation(place: unknown): WebSearch['location'] {
  if (!isJsonObject(place)) return undefined;
  const [city, region, country, timezone] = ['city', 'region', 'country', 'timezone'].map((name) =>
    stringAt(place, name),
  );
  return {
    ...(city && { city }),
    ...(region && { region }),
    ...(country && { country }),
    ...(timezone && { timezone }),
  };
}
