// Tools, the tool choice, and the output format.
import { asList, asRecord, asText, isRecord, type JsonRecord } from '../../json-value.ts';
import { firstOf } from '../judgement.ts';
import { checkFunctionSchema, checkOutputSchema } from './check-schema.ts';
import { explain, type SchemaCheck } from './explain.ts';
import { badRequest, bracketPath, type ChatRefusal } from './refusal.ts';
import {
  allowedToolsCheck,
  customChoiceCheck,
  customToolCheck,
  functionToolCheck,
  namedChoiceCheck,
  plainFormatCheck,
  schemaFormatCheck,
} from './wire-tools.ts';

export function checkTools(body: JsonRecord, ignoreUnknown: boolean): ChatRefusal | undefined {
  const tools = asList(body['tools']);
  return firstOf(
    tools.map((tool, at) => () => checkTool(tool, at, ignoreUnknown)),
    () => checkUniqueNames(tools),
    () => checkOnlyWithTools(body, 'tool_choice', tools),
    () => checkOnlyWithTools(body, 'parallel_tool_calls', tools),
    () => checkToolChoice(body['tool_choice'], tools, ignoreUnknown),
  );
}

function checkTool(tool: unknown, at: number, ignoreUnknown: boolean): ChatRefusal | undefined {
  const type = asRecord(tool)['type'];
  const check: SchemaCheck = type === 'custom' ? customToolCheck : functionToolCheck;
  return firstOf(
    () => checkToolType(type, at),
    () => explain(check, tool, { at: ['tools', at], ignoreUnknown }),
    () =>
      type === 'function' && !ignoreUnknown ? checkFunctionSchema(asRecord(asRecord(tool)['function']), at) : undefined,
  );
}

function checkToolType(type: unknown, at: number): ChatRefusal | undefined {
  if (type === undefined || type === 'function' || type === 'custom') return undefined;
  const message = `Invalid value: '${String(type)}'. Supported values are: 'function' and 'custom'.`;
  return badRequest(message, bracketPath(['tools', at, 'type']), 'invalid_value');
}

export function toolName(tool: unknown): string {
  const record = asRecord(tool);
  return asText(asRecord(record['function'] ?? record['custom'])['name']);
}

function checkUniqueNames(tools: readonly unknown[]): ChatRefusal | undefined {
  const names = tools.map(toolName);
  const at = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (at < 0) return undefined;
  const message = `Invalid 'tools': duplicate function name '${names[at]}'. Tool names must be unique.`;
  return badRequest(message, bracketPath(['tools', at, 'function', 'name']), 'invalid_value');
}

function checkOnlyWithTools(body: JsonRecord, name: string, tools: readonly unknown[]): ChatRefusal | undefined {
  const value = body[name];
  if (value === undefined || value === null || tools.length > 0) return undefined;
  // Without tools, "none" and "auto" change nothing, yet the vendor refuses them, too.
  const message = `Invalid value for '${name}': '${name}' is only allowed when 'tools' are specified.`;
  return badRequest(message, name);
}

const CHOICE_WORDS: readonly unknown[] = ['none', 'auto', 'required'];

function checkToolChoice(choice: unknown, tools: readonly unknown[], ignoreUnknown: boolean): ChatRefusal | undefined {
  if (choice === undefined || choice === null || CHOICE_WORDS.includes(choice)) return undefined;
  if (!isRecord(choice)) {
    const message = `Invalid value: '${String(choice)}'. Supported values are: 'none', 'auto', and 'required'.`;
    return badRequest(message, 'tool_choice', 'invalid_value');
  }
  const options = { at: ['tool_choice'], ignoreUnknown };
  if (choice['type'] === 'allowed_tools') return explain(allowedToolsCheck, choice, options);
  const refusal = explain(choice['type'] === 'custom' ? customChoiceCheck : namedChoiceCheck, choice, options);
  if (refusal !== undefined) return refusal;
  const name = toolName(choice);
  if (tools.some((tool) => toolName(tool) === name)) return undefined;
  const message = `Invalid value for 'tool_choice': no function named '${name}' was specified in the 'tools' parameter.`;
  return badRequest(message, 'tool_choice');
}

export function checkResponseFormat(body: JsonRecord, ignoreUnknown: boolean): ChatRefusal | undefined {
  const format = body['response_format'];
  if (!isRecord(format)) return undefined;
  const options = { at: ['response_format'], ignoreUnknown };
  if (format['type'] === 'json_schema') {
    return firstOf(
      () => explain(schemaFormatCheck, format, options),
      () => (ignoreUnknown ? undefined : checkOutputSchema(asRecord(format['json_schema']))),
    );
  }
  const needsWord =
    !ignoreUnknown && format['type'] === 'json_object' && !/json/iu.test(JSON.stringify(contents(body)));
  if (!needsWord) return explain(plainFormatCheck, format, options);
  const message =
    "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.";
  return badRequest(message, 'messages');
}

function contents(body: JsonRecord): readonly unknown[] {
  return asList(body['messages']).map((message) => asRecord(message)['content']);
}
