/** Validates tools, the tool choice and the output format, each by the schema of its type. */
import type { Static } from 'typebox';
import { isJsonObject, type Json, type JsonObject, stringAt } from '../../canonical/json.ts';
import { checkTagged, checkWith, compileAll, isGiven, malformed, tagOf, unsupported } from '../checking.ts';
import { type ChoiceWord, checkToolChoice as checkChoice } from '../request-forms.ts';
import { FormatsByType, type FormatType, ToolChoicesByType, ToolsByType } from './wire.ts';

type Tools = { [T in keyof typeof ToolsByType]: Static<(typeof ToolsByType)[T]> };
type Choices = { [T in keyof typeof ToolChoicesByType]: Static<(typeof ToolChoicesByType)[T]> };
type Formats = { [T in FormatType]: Static<(typeof FormatsByType)[T]> };

export type CheckedResponsesTool =
  | Tools['function']
  | Tools['custom']
  | { readonly type: 'web_search'; readonly search: Tools['web_search']; readonly wire: JsonObject }
  | { readonly type: 'own'; readonly wire: JsonObject; readonly name: string };
export type CheckedToolChoice = ChoiceWord | Choices[keyof Choices];
export type CheckedFormat = Formats[FormatType];

const tools = compileAll(ToolsByType);
const choices = compileAll(ToolChoicesByType);
const formats = compileAll(FormatsByType);

const SEARCHES: ReadonlySet<string> = new Set([
  'web_search',
  'web_search_2025_08_26',
  'web_search_preview',
  'web_search_preview_2025_03_11',
]);
/** Tools the caller runs, or ways to declare them. */
const OWN_TOOLS: ReadonlySet<string> = new Set(['local_shell', 'apply_patch', 'namespace', 'tool_search']);
/** Tools a provider runs with state or prices that this service does not track. */
const HOSTED_TOOLS: ReadonlySet<string> = new Set([
  'file_search',
  'code_interpreter',
  'image_generation',
  'mcp',
  'computer',
  'computer_use_preview',
  'shell',
]);

const NAMED_TOOLS: ReadonlySet<string> = new Set(['function', 'custom', ...SEARCHES, ...OWN_TOOLS]);

/** Is this tool one of those that are kept? */
export const isTakenTool = (tool: Json): boolean => isJsonObject(tool) && NAMED_TOOLS.has(stringAt(tool, 'type') ?? '');

/**
 * Tools of types that no host of this dialect is known to support are dropped: agents declare their vendor's newest.
 */
export function checkTools(given: readonly unknown[]): readonly CheckedResponsesTool[] {
  const checked = given.flatMap((tool, position) => checkTool(tool, `tools[${position}]`) ?? []);
  if (checked.filter(({ type }) => type === 'web_search').length > 1)
    throw malformed('tools', 'may hold one web_search at most');
  return checked;
}

function checkTool(tool: unknown, path: string): CheckedResponsesTool | undefined {
  const type = tagOf(tool, 'type', path) ?? '';
  if (type === 'function') return checkWith(tools.function, tool, path);
  if (type === 'custom') return checkWith(tools.custom, tool, path);
  // A value with a tag is an object, and it came from JSON.
  const wire = tool as JsonObject;
  if (SEARCHES.has(type)) return { type: 'web_search', search: checkWith(tools.web_search, tool, path), wire };
  if (OWN_TOOLS.has(type)) return { type: 'own', wire, name: type };
  if (HOSTED_TOOLS.has(type)) throw unsupported(`${path}.type`, `is not offered by this service: ${type}`);
  if (type === '') throw malformed(`${path}.type`, 'must be one of function, custom, web_search');
  return undefined;
}

export const checkToolChoice = (
  choice: unknown,
  declared: readonly CheckedResponsesTool[],
): CheckedToolChoice | undefined =>
  checkChoice(choice, declared.length, (named) => checkDeclaredChoice(named, declared));

function checkDeclaredChoice(choice: object, declared: readonly CheckedResponsesTool[]): Choices[keyof Choices] {
  const checked = checkNamedChoice(choice);
  if (checked.type === 'allowed_tools') return checked;
  const isDeclared = declared.some((tool) => tool.type === checked.type && tool.name === checked.name);
  const hasNamespaces = declared.some((tool) => tool.type === 'own');
  if (!isDeclared && !hasNamespaces)
    throw malformed('tool_choice.name', `names a tool that is not declared: ${checked.name}`);
  return checked;
}

function checkNamedChoice(choice: unknown): Choices[keyof Choices] {
  const checked = checkTagged<Choices>(choices, choice, 'tool_choice');
  if (checked !== undefined) return checked;
  const type = tagOf(choice, 'type', 'tool_choice') ?? '';
  if (SEARCHES.has(type) || HOSTED_TOOLS.has(type) || OWN_TOOLS.has(type))
    throw unsupported('tool_choice.type', `cannot force a tool of the provider's own: ${type}`);
  throw malformed('tool_choice.type', 'must be one of function, custom, allowed_tools');
}

export function checkFormat(format: unknown): CheckedFormat | undefined {
  if (!isGiven(format)) return undefined;
  const checked = checkTagged<Formats>(formats, format, 'text.format');
  if (checked === undefined) throw malformed('text.format.type', 'must be one of text, json_object, json_schema');
  return checked;
}
