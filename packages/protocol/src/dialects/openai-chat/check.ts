/** Unknown → a structurally valid chat request. */
import { type Static, Type } from 'typebox';
import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import {
  checkTagged,
  checkWith,
  compile,
  compileAll,
  isGiven,
  malformed,
  membersWith,
  refuseUnpriced,
  tagOf,
  unsupported,
} from '../checking.ts';
import type { Sealing } from '../dialect.ts';
import { type ChoiceWord, checkToolChoice } from '../request-forms.ts';
import { type CheckedMessages, checkMessages } from './check-messages.ts';
import { MONEY_MEMBERS } from './known-fields.ts';
import type { CheckedRouting } from './routing-preferences.ts';
import { typed } from './tidy.ts';
import { ChatCallWire, ResponseFormatsByType, RoutingPreference, ToolChoicesByType, ToolsByType } from './wire.ts';

const UNPRICED_FIELDS = membersWith(MONEY_MEMBERS, 'refused');
const call = compile(ChatCallWire);
const responseFormats = compileAll(ResponseFormatsByType);
const routing = compile(RoutingPreference);
const nestedRouting = compile(Type.Object({ routing: RoutingPreference }));
const toolChoices = compileAll(ToolChoicesByType);
const tools = compileAll(ToolsByType);

export type CheckedChatTool = Static<(typeof ToolsByType)['function']> | Static<(typeof ToolsByType)['custom']>;
type NamedToolChoice = { [T in keyof typeof ToolChoicesByType]: Static<(typeof ToolChoicesByType)[T]> };
type CheckedToolChoice = ChoiceWord | NamedToolChoice[keyof NamedToolChoice];
type ResponseFormats = { [T in keyof typeof ResponseFormatsByType]: Static<(typeof ResponseFormatsByType)[T]> };
export type CheckedChat = {
  readonly wire: ChatCallWire;
  readonly body: JsonObject;
  readonly messages: CheckedMessages;
  readonly tools: readonly CheckedChatTool[];
  /** Some tools have types that no host of this dialect is known to support: they are dropped. */
  readonly unknownTools: boolean;
  readonly toolChoice: CheckedToolChoice | undefined;
  readonly responseFormat: ResponseFormats[keyof ResponseFormats] | undefined;
  readonly routing: CheckedRouting | undefined;
};

/** Fields that would change the meaning of the answer, so they are refused rather than dropped. */
const REFUSED_FIELDS = ['audio', 'functions', 'function_call'] as const;

export function checkChat(body: JsonObject, sealing: Sealing | undefined): CheckedChat {
  const wire = checkWith(call, body, '');
  refuseUnpriced(body, UNPRICED_FIELDS);
  for (const field of REFUSED_FIELDS)
    if (isGiven(body[field])) throw unsupported(field, 'is not accepted by this service');
  if (wire.modalities?.some((modality) => modality !== 'text')) throw unsupported('modalities', 'may only be ["text"]');
  if (isGiven(wire.top_logprobs) && wire.logprobs !== true)
    throw malformed('top_logprobs', 'needs logprobs to be true');
  checkEfforts(wire);
  const given = wire.tools ?? [];
  const checkedTools = given.flatMap((tool, position) => checkTool(tool, position) ?? []);
  return {
    wire,
    body,
    messages: checkMessages(wire.messages, sealing),
    tools: checkedTools,
    unknownTools: checkedTools.length < given.length,
    toolChoice: checkToolChoice(wire.tool_choice, checkedTools.length, (choice) =>
      checkDeclaredChoice(choice, checkedTools),
    ),
    responseFormat: checkResponseFormat(wire.response_format),
    routing: checkRouting(wire.provider),
  };
}

function checkEfforts(wire: ChatCallWire): void {
  const nested = wire.reasoning?.effort;
  if (isGiven(nested) && isGiven(wire.reasoning_effort) && nested !== wire.reasoning_effort)
    throw malformed('reasoning.effort', `disagrees with reasoning_effort (${wire.reasoning_effort})`);
}

/**
 * The service's flat form, the same preferences under `routing`, or both; then those under `routing` take precedence.
 */
function checkRouting(preference: unknown): CheckedRouting | undefined {
  if (!isGiven(preference)) return undefined;
  const outer = checkWith(routing, preference, 'provider');
  if (!('routing' in outer)) return { preference: outer, placeOf: (member) => `provider.${member}` };
  const given = Object.entries(checkWith(nestedRouting, preference, 'provider').routing).filter(([, value]) =>
    isGiven(value),
  );
  const inner = Object.fromEntries(given);
  const placeOf = (member: string): string =>
    `${Object.hasOwn(inner, member) ? 'provider.routing' : 'provider'}.${member}`;
  return { preference: { ...outer, ...inner }, placeOf };
}

function checkTool(tool: unknown, position: number): CheckedChatTool | undefined {
  const path = `tools[${position}]`;
  const given = isJsonObject(tool) ? typed(tool) : tool;
  const type = tagOf(given, 'type', path);
  if (type === 'function') return checkWith(tools.function, given, path);
  if (type === 'custom') return checkWith(tools.custom, tool, path);
  if (type === undefined || type === '') throw malformed(`${path}.type`, 'must be one of function, custom');
  return undefined;
}

function checkDeclaredChoice(
  choice: object,
  declared: readonly CheckedChatTool[],
): NamedToolChoice[keyof NamedToolChoice] {
  const checked = checkNamedChoice(isJsonObject(choice) ? typed(choice) : choice);
  if (checked.type === 'allowed_tools') return checked;
  const name = checked.type === 'function' ? checked.function.name : checked.custom.name;
  if (!declared.some((tool) => (tool.type === 'function' ? tool.function.name : tool.custom.name) === name))
    throw malformed(`tool_choice.${checked.type}.name`, `names a tool that is not declared: ${name}`);
  return checked;
}

function checkNamedChoice(choice: unknown): NamedToolChoice[keyof NamedToolChoice] {
  const checked = checkTagged<NamedToolChoice>(toolChoices, choice, 'tool_choice');
  if (checked === undefined) throw malformed('tool_choice.type', 'must be one of function, custom, allowed_tools');
  return checked;
}

function checkResponseFormat(format: unknown): CheckedChat['responseFormat'] {
  if (!isGiven(format)) return undefined;
  const checked = checkTagged<ResponseFormats>(responseFormats, format, 'response_format');
  if (checked === undefined) throw malformed('response_format.type', 'must be one of text, json_object, json_schema');
  return checked;
}
