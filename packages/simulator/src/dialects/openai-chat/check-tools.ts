// Tools, the tool choice, and the output format.
import { asList, asRecord, asRecords, asText, isGiven, isRecord, type JsonRecord } from '../../json-value.ts';
import { firstOf, repeatAt } from '../judgement.ts';
import { checkFunctionSchema, checkOutputSchema } from './check-schema.ts';
import { explain } from './problem.ts';
import { badRequest, bracketPath, type ChatRefusal } from './refusal.ts';

export function toolName(tool: unknown): string {
  const record = asRecord(tool);
  return asText(asRecord(record['function'] ?? record['custom'])['name']);
}

export function checkTools(body: JsonRecord, ignoreUnknown: boolean): ChatRefusal | undefined {
  const tools = asList(body['tools']);
  const refusal = firstOf(tools, (tool, at) => {
    const { type, function: declared } = asRecord(tool);
    if (type !== undefined && type !== 'function' && type !== 'custom') {
      const message = `Invalid value: '${String(type)}'. Supported values are: 'function' and 'custom'.`;
      return badRequest(message, bracketPath(['tools', at, 'type']), 'invalid_value');
    }
    return (
      explain(type === 'custom' ? 'CustomTool' : 'FunctionTool', tool, ['tools', at], ignoreUnknown) ??
      (type === 'function' && !ignoreUnknown ? checkFunctionSchema(asRecord(declared), at) : undefined)
    );
  });
  if (refusal !== undefined) return refusal;
  const names = tools.map(toolName);
  const repeated = repeatAt(names);
  if (repeated >= 0) {
    const message = `Invalid 'tools': duplicate function name '${names[repeated]}'. Tool names must be unique.`;
    return badRequest(message, bracketPath(['tools', repeated, 'function', 'name']), 'invalid_value');
  }
  // Without tools, "none" and "auto" change nothing, yet the vendor refuses them, too.
  const needless = ['tool_choice', 'parallel_tool_calls'].find((name) => isGiven(body, name));
  if (needless !== undefined && tools.length === 0) {
    const message = `Invalid value for '${needless}': '${needless}' is only allowed when 'tools' are specified.`;
    return badRequest(message, needless);
  }
  return checkToolChoice(body['tool_choice'], names, ignoreUnknown);
}

const CHOICE_WORDS: readonly unknown[] = [undefined, null, 'none', 'auto', 'required'];

function checkToolChoice(choice: unknown, names: readonly string[], ignoreUnknown: boolean): ChatRefusal | undefined {
  if (CHOICE_WORDS.includes(choice)) return undefined;
  if (!isRecord(choice)) {
    const message = `Invalid value: '${String(choice)}'. Supported values are: 'none', 'auto', and 'required'.`;
    return badRequest(message, 'tool_choice', 'invalid_value');
  }
  const { type } = choice;
  if (type === 'allowed_tools') return explain('AllowedTools', choice, ['tool_choice'], ignoreUnknown);
  const shape = type === 'custom' ? 'CustomChoice' : 'FunctionChoice';
  const refusal = explain(shape, choice, ['tool_choice'], ignoreUnknown);
  if (refusal !== undefined || names.includes(toolName(choice))) return refusal;
  const message = `Invalid value for 'tool_choice': no function named '${toolName(choice)}' was specified in the 'tools' parameter.`;
  return badRequest(message, 'tool_choice');
}

export function checkResponseFormat(body: JsonRecord, ignoreUnknown: boolean): ChatRefusal | undefined {
  const format = body['response_format'];
  if (!isRecord(format)) return undefined;
  const path = ['response_format'];
  if (format['type'] === 'json_schema') {
    const refusal = explain('SchemaFormat', format, path, ignoreUnknown);
    return refusal ?? (ignoreUnknown ? undefined : checkOutputSchema(asRecord(format['json_schema'])));
  }
  const contents = asRecords(body['messages']).map(({ content }) => content);
  const needsWord = !ignoreUnknown && format['type'] === 'json_object' && !/json/iu.test(JSON.stringify(contents));
  if (!needsWord) return explain('PlainFormat', format, path, ignoreUnknown);
  const message =
    "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.";
  return badRequest(message, 'messages');
}
