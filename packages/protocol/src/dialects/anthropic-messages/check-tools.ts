/** Validates tools and the tool choice, each by the schema of its type. */
import { isJsonObject, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import { checkWith, compile, isGiven, malformed, ruleOf, tagOf, unsupported, type Validator } from '../checking.ts';
import { MONEY_TOOLS } from './money.ts';
import { BashTool, CustomTool, PassedTool, TextEditorTool, ToolChoicesByType, WebSearchTool } from './wire.ts';

const custom = compile(CustomTool);
const bash = compile(BashTool);
const textEditor = compile(TextEditorTool);
const webSearch = compile(WebSearchTool);
const passed = compile(PassedTool);
const choices: Readonly<Record<string, Validator<unknown>>> = {
  auto: compile(ToolChoicesByType.auto),
  any: compile(ToolChoicesByType.any),
  tool: compile(ToolChoicesByType.tool),
  none: compile(ToolChoicesByType.none),
};

export const BASH_TYPE = 'bash_20250124';
export const WEB_SEARCH_TYPE = 'web_search_20250305';
/** Newer versions have the members of the first one, and others that only hosts of this dialect know. */
const ANY_WEB_SEARCH = /^web_search_\d{8}$/;
export const isWebSearch = (tool: JsonObject): boolean => ANY_WEB_SEARCH.test(stringAt(tool, 'type') ?? '');
export const TEXT_EDITOR_TYPE = /^text_editor_\d{8}$/;
/** The first editor version with a limit on how much of a file it shows. */
const MEASURED_EDITOR_TYPE = 'text_editor_20250728';

/** Tools of types that no host of this dialect is known to support are dropped: agents often declare some. */
export function checkTools(tools: readonly unknown[]): readonly JsonObject[] {
  const names = new Set<string>();
  return tools.flatMap((given, position): JsonObject[] => {
    const path = `tools.${position}`;
    const tool = checkTool(given, path);
    if (tool === undefined) return [];
    const name = stringAt(tool, 'name') ?? '';
    if (names.has(name)) throw malformed(`${path}.name`, `is used by another tool already: ${name}`);
    names.add(name);
    return [tool];
  });
}

function checkTool(given: unknown, path: string): JsonObject | undefined {
  if (!isJsonObject(given)) throw malformed(path, 'must be an object');
  const type = stringAt(given, 'type');
  if (type === undefined) {
    if (isGiven(given['type'])) throw malformed(`${path}.type`, 'must be a string');
    checkWith(custom, given, path, 'dots');
  } else if (type === 'custom') checkWith(custom, given, path, 'dots');
  else if (type === BASH_TYPE) checkWith(bash, given, path, 'dots');
  else if (TEXT_EDITOR_TYPE.test(type)) {
    checkWith(textEditor, given, path, 'dots');
    if (isGiven(given['max_characters']) && type < MEASURED_EDITOR_TYPE)
      throw malformed(`${path}.max_characters`, `is not offered by ${type}`);
  } else if (ANY_WEB_SEARCH.test(type)) {
    checkWith(webSearch, given, path, 'dots');
    checkWebSearch(given, path);
  } else if (type.startsWith('code_execution_'))
    throw unsupported(`${path}.type`, 'asks for code execution, which is not offered');
  else if (ruleOf(MONEY_TOOLS, type) === 'refused')
    throw unsupported(`${path}.type`, `asks for what this service does not price: ${type.slice(0, 64)}`);
  else if (ruleOf(MONEY_TOOLS, type) === 'priced') checkWith(passed, given, path, 'dots');
  else return undefined;
  return given;
}

function checkWebSearch(tool: JsonObject, path: string): void {
  if (isGiven(tool['allowed_domains']) && isGiven(tool['blocked_domains']))
    throw malformed(`${path}.blocked_domains`, 'cannot be given together with allowed_domains');
  const timezone = stringAt(objectAt(tool, 'user_location'), 'timezone');
  if (timezone !== undefined && !isTimezone(timezone))
    throw malformed(`${path}.user_location.timezone`, 'must be an IANA time zone');
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

export function checkToolChoice(choice: unknown, tools: readonly JsonObject[]): JsonObject | undefined {
  if (!isGiven(choice)) return undefined;
  const type = tagOf(choice, 'type', 'tool_choice') ?? '';
  const validator = Object.hasOwn(choices, type) ? choices[type] : undefined;
  if (validator === undefined || !isJsonObject(choice))
    throw malformed('tool_choice.type', 'must be one of auto, any, tool, none');
  checkWith(validator, choice, 'tool_choice', 'dots');
  if ((type === 'any' || type === 'tool') && tools.length === 0)
    throw malformed('tool_choice', 'cannot ask for a tool without tools');
  if (type === 'tool' && !tools.some((tool) => tool['name'] === choice['name']))
    throw malformed('tool_choice.name', 'names a tool that is not declared');
  return choice;
}
