// Thinking, sampling, tools and structured output: what each model family allows, and what excludes what.
import {
  asList,
  asNumber,
  asRecord,
  asRecords,
  asText,
  isRecord,
  type JsonRecord,
  ofType,
  textsOf,
} from '../../json-value.ts';
import { firstOf, repeatAt } from '../judgement.ts';
import { isPaused, isThinking, thinkingMode, turnsOf } from './conversation.ts';
import type { MessagesModelFamily } from './models.ts';
import { VERSION_WITHOUT_SAMPLING } from './profiles.ts';
import { at, badRequest, type MessagesRefusal } from './refusal.ts';

export function checkTools(body: JsonRecord): MessagesRefusal | undefined {
  const tools = asRecords(body['tools']);
  const names = textsOf(tools, 'name');
  const choice = asRecord(body['tool_choice']);
  if (repeatAt(names) >= 0) return badRequest('tools: Tool names must be unique.');
  if (tools.length > 0 && tools.every((tool) => tool['defer_loading'] === true))
    return badRequest('All tools have defer_loading set. At least one tool must be non-deferred.');
  const both = tools.findIndex(
    ({ allowed_domains, blocked_domains }) => asList(allowed_domains).length > 0 && asList(blocked_domains).length > 0,
  );
  if (both >= 0) return at(['tools', both], 'Only one of `allowed_domains` or `blocked_domains` may be specified.');
  if (body['tool_choice'] !== undefined && tools.length === 0)
    return badRequest('tool_choice may only be specified while providing tools');
  if (choice['type'] === 'tool' && !names.includes(asText(choice['name'])))
    return badRequest(`Tool '${asText(choice['name'])}' not found in provided tools`);
  return undefined;
}

export function checkThinking(body: JsonRecord, family: MessagesModelFamily): MessagesRefusal | undefined {
  const mode = thinkingMode(body);
  if (mode === 'disabled') return undefined;
  if (family.thinking === 'none') return badRequest(`'${asText(body['model'])}' does not support thinking.`);
  if (mode === 'adaptive' && family.thinking === 'budget')
    return badRequest('adaptive thinking is not supported on this model');
  if (mode === 'enabled' && family.thinking === 'adaptive')
    return badRequest(
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    );
  const budget = asNumber(asRecord(body['thinking'])['budget_tokens']) ?? 0;
  if (budget >= (asNumber(body['max_tokens']) ?? Infinity))
    return badRequest('`max_tokens` must be greater than `thinking.budget_tokens`.');
  // A model with adaptive thinking may be forced to call a tool.
  if (mode === 'enabled' && ['any', 'tool'].includes(asText(asRecord(body['tool_choice'])['type'])))
    return badRequest('Thinking may not be enabled when tool_choice forces tool use.');
  const turns = turnsOf(body);
  const last = turns.at(-1);
  if (last?.role === 'assistant' && !isPaused(last))
    return badRequest('messages: prefilling the assistant message is not supported when thinking is enabled.');
  // While results are still being collected, the turn with the call must keep its thinking at the start.
  if (mode !== 'enabled' || ofType(last?.blocks, 'tool_result').length === 0) return undefined;
  const index = turns.findLastIndex((turn) => turn.role === 'assistant');
  const first = turns[index]?.blocks[0];
  if (first === undefined || isThinking(first)) return undefined;
  return at(
    ['messages', index, 'content', 0, 'type'],
    `Expected \`thinking\` or \`redacted_thinking\`, but found \`${asText(first['type'])}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). To avoid this requirement, disable \`thinking\`.`,
  );
}

const MINIMUM_TOP_P_WITH_THINKING = 0.95;

export function checkSampling(
  body: JsonRecord,
  family: MessagesModelFamily,
  version: string,
): MessagesRefusal | undefined {
  const { temperature, top_p, top_k } = body;
  const first = ['temperature', 'top_p', 'top_k'].find((name) => body[name] !== undefined);
  if (first !== undefined && version === VERSION_WITHOUT_SAMPLING) return at([first], 'Extra inputs are not permitted');
  if (first !== undefined && family.refusesSampling) return badRequest(`\`${first}\` is deprecated for this model.`);
  if (thinkingMode(body) !== 'disabled') {
    if (asNumber(temperature) !== undefined && temperature !== 1)
      return badRequest('`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.');
    if ((asNumber(top_p) ?? 1) < MINIMUM_TOP_P_WITH_THINKING)
      return badRequest('`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.');
    if (top_k !== undefined) return badRequest('`top_k` must be unset when thinking is enabled.');
  }
  if (family.oneSamplingParameter && temperature !== undefined && top_p !== undefined)
    return badRequest('`temperature` and `top_p` cannot both be specified for this model. Please use only one.');
  const blank = asList(body['stop_sequences']).some((stop) => asText(stop).trim() === '');
  return blank ? badRequest('stop_sequences: each stop sequence must contain non-whitespace') : undefined;
}

export function checkOutput(body: JsonRecord, family: MessagesModelFamily): MessagesRefusal | undefined {
  const { effort, format } = asRecord(body['output_config']);
  if (typeof effort === 'string' && !family.efforts.includes(effort)) {
    if (family.efforts.length === 0) return badRequest('This model does not support the effort parameter.');
    const supported = family.efforts.join(', ');
    return badRequest(`This model does not support effort level '${effort}'. Supported levels: ${supported}.`);
  }
  const problem = schemaProblem(asRecord(format)['schema'], 0);
  return problem === undefined ? undefined : badRequest(`output_config.format.schema: ${problem}`);
}

const MAX_SCHEMA_DEPTH = 32;
const UNSUPPORTED = ['minimum', 'maximum', 'multipleOf', 'minLength', 'maxLength', 'maxItems'] as const;

function schemaProblem(schema: unknown, depth: number): string | undefined {
  if (!isRecord(schema)) return undefined;
  if (depth > MAX_SCHEMA_DEPTH) return 'Schema is nested too deeply';
  const type = asText(schema['type']);
  if (type === 'object' && schema['additionalProperties'] !== false)
    return "For 'object' type, 'additionalProperties' must be explicitly set to false";
  const unsupported = UNSUPPORTED.find((name) => schema[name] !== undefined);
  if (unsupported !== undefined) return `For '${type}' type, property '${unsupported}' is not supported`;
  const children = [
    ...Object.values(asRecord(schema['properties'])),
    ...Object.values(asRecord(schema['$defs'])),
    ...asList(schema['anyOf']),
    schema['items'],
  ];
  return firstOf(children, (child) => schemaProblem(child, depth + 1));
}
