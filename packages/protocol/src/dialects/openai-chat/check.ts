/** Unknown → a chat request we have understood the shape of. */
import { type Static, Type } from 'typebox';
import type { JsonObject } from '../../canonical/json.ts';
import { checkWith, compile, isGiven, malformed, tagOf, unsupported } from '../checking.ts';
import { type CheckedMessages, checkMessages } from './check-messages.ts';
import { ChatCallWire, ResponseFormat, RoutingWish, ToolChoice, ToolsByType } from './wire.ts';

const call = compile(ChatCallWire);
const responseFormat = compile(ResponseFormat);
const routing = compile(RoutingWish);
const nestedRouting = compile(Type.Object({ routing: RoutingWish }));
const toolChoice = compile(ToolChoice);
const tools = { function: compile(ToolsByType.function), custom: compile(ToolsByType.custom) };

export type CheckedTool = Static<(typeof ToolsByType)['function']> | Static<(typeof ToolsByType)['custom']>;
export type CheckedToolChoice = 'none' | 'auto' | 'required' | Static<typeof ToolChoice>;
export type CheckedChat = {
  readonly wire: ChatCallWire;
  readonly body: JsonObject;
  readonly messages: CheckedMessages;
  readonly tools: readonly CheckedTool[];
  readonly toolChoice: CheckedToolChoice | undefined;
  readonly responseFormat: Static<typeof ResponseFormat> | undefined;
};

/** Fields that would change the meaning of the answer, so that dropping them would be a lie. */
const REFUSED_FIELDS = ['audio', 'functions', 'function_call'] as const;

export function checkChat(body: JsonObject): CheckedChat {
  const wire = checkWith(call, body, '');
  for (const field of REFUSED_FIELDS)
    if (isGiven(body[field])) throw unsupported(field, 'is not accepted by this service');
  if (wire.modalities?.some((modality) => modality !== 'text')) throw unsupported('modalities', 'may only be ["text"]');
  if (isGiven(wire.top_logprobs) && wire.logprobs !== true)
    throw malformed('top_logprobs', 'needs logprobs to be true');
  checkEfforts(wire);
  checkRouting(wire.provider);
  const checkedTools = (wire.tools ?? []).map(checkTool);
  return {
    wire,
    body,
    messages: checkMessages(wire.messages),
    tools: checkedTools,
    toolChoice: checkToolChoice(wire.tool_choice, checkedTools),
    responseFormat: checkResponseFormat(wire.response_format),
  };
}

function checkEfforts(wire: ChatCallWire): void {
  const nested = wire.reasoning?.effort;
  if (isGiven(nested) && isGiven(wire.reasoning_effort) && nested !== wire.reasoning_effort)
    throw malformed('reasoning.effort', `disagrees with reasoning_effort (${wire.reasoning_effort})`);
}

/** The flat form of the service, or the same wishes under `routing`. */
function checkRouting(wish: unknown): void {
  if (!isGiven(wish)) return;
  const nested = typeof wish === 'object' && wish !== null && 'routing' in wish;
  if (nested) checkWith(nestedRouting, wish, 'provider');
  else checkWith(routing, wish, 'provider');
}

function checkTool(tool: unknown, position: number): CheckedTool {
  const path = `tools[${position}]`;
  const type = tagOf(tool, 'type', path);
  if (type === 'function') return checkWith(tools.function, tool, path);
  if (type === 'custom') return checkWith(tools.custom, tool, path);
  throw malformed(`${path}.type`, 'must be one of function, custom');
}

export function toolName(tool: CheckedTool): string {
  return tool.type === 'function' ? tool.function.name : tool.custom.name;
}

function checkToolChoice(choice: unknown, declared: readonly CheckedTool[]): CheckedToolChoice | undefined {
  if (!isGiven(choice)) return undefined;
  if (choice === 'none' || choice === 'auto' || choice === 'required') return choice;
  if (typeof choice === 'string') throw malformed('tool_choice', 'must be one of none, auto, required');
  const checked = checkWith(toolChoice, choice, 'tool_choice');
  if (checked.type === 'allowed_tools') return checked;
  const name = checked.type === 'function' ? checked.function.name : checked.custom.name;
  if (!declared.some((tool) => toolName(tool) === name))
    throw malformed(`tool_choice.${checked.type}.name`, `names a tool that is not declared: ${name}`);
  return checked;
}

function checkResponseFormat(format: unknown): CheckedChat['responseFormat'] {
  if (!isGiven(format)) return undefined;
  const type = tagOf(format, 'type', 'response_format');
  if (type !== 'text' && type !== 'json_object' && type !== 'json_schema')
    throw malformed('response_format.type', 'must be one of text, json_object, json_schema');
  return checkWith(responseFormat, format, 'response_format');
}
