// Thinking and sampling: what each model family allows, and what excludes what.
import { asList, asNumber, asRecord, asText, type JsonRecord } from '../../json-value.ts';
import { firstOf } from '../judgement.ts';
import { isPaused, isThinking, type MessagesTurn, ofType, thinkingMode, turnsOf } from './conversation.ts';
import type { MessagesModelFamily } from './models.ts';
import { VERSION_WITHOUT_SAMPLING } from './profiles.ts';
import { at, badRequest, type MessagesRefusal } from './refusal.ts';

export function checkThinking(body: JsonRecord, family: MessagesModelFamily): MessagesRefusal | undefined {
  const mode = thinkingMode(body);
  if (mode === 'disabled') return undefined;
  return firstOf(
    () => checkMode(mode, family, asText(body['model'])),
    () => checkBudget(body),
    () => checkForcedChoice(body),
    () => checkPrefill(turnsOf(body).at(-1)),
    () => (mode === 'enabled' ? checkOpeningBlock(turnsOf(body)) : undefined),
  );
}

function checkMode(
  mode: 'enabled' | 'adaptive',
  family: MessagesModelFamily,
  model: string,
): MessagesRefusal | undefined {
  if (family.thinking === 'none') return badRequest(`'${model}' does not support thinking.`);
  if (mode === 'adaptive' && family.thinking === 'budget') {
    return badRequest('adaptive thinking is not supported on this model');
  }
  if (mode !== 'enabled' || family.thinking !== 'adaptive') return undefined;
  return badRequest(
    '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
  );
}

function checkBudget(body: JsonRecord): MessagesRefusal | undefined {
  const budget = asNumber(asRecord(body['thinking'])['budget_tokens']) ?? 0;
  const limit = asNumber(body['max_tokens']);
  if (limit === undefined || budget < limit) return undefined;
  return badRequest('`max_tokens` must be greater than `thinking.budget_tokens`.');
}

/** A model with adaptive thinking may be forced to call a tool. */
function checkForcedChoice(body: JsonRecord): MessagesRefusal | undefined {
  if (asRecord(body['thinking'])['type'] === 'adaptive') return undefined;
  const type = asRecord(body['tool_choice'])['type'];
  if (type !== 'any' && type !== 'tool') return undefined;
  return badRequest('Thinking may not be enabled when tool_choice forces tool use.');
}

function checkPrefill(last: MessagesTurn | undefined): MessagesRefusal | undefined {
  if (last?.role !== 'assistant' || isPaused(last)) return undefined;
  return badRequest('messages: prefilling the assistant message is not supported when thinking is enabled.');
}

/** While results are still being collected, the turn with the call must keep its thinking at the start. */
function checkOpeningBlock(turns: readonly MessagesTurn[]): MessagesRefusal | undefined {
  const last = turns.at(-1);
  if (last === undefined || ofType(last.blocks, 'tool_result').length === 0) return undefined;
  const index = turns.findLastIndex((turn) => turn.role === 'assistant');
  const first = turns[index]?.blocks[0];
  if (first === undefined || isThinking(first)) return undefined;
  return at(
    ['messages', index, 'content', 0, 'type'],
    `Expected \`thinking\` or \`redacted_thinking\`, but found \`${asText(first['type'])}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). To avoid this requirement, disable \`thinking\`.`,
  );
}

const SAMPLING = ['temperature', 'top_p', 'top_k'] as const;
const MINIMUM_TOP_P_WITH_THINKING = 0.95;

export function checkSampling(
  body: JsonRecord,
  family: MessagesModelFamily,
  version: string,
): MessagesRefusal | undefined {
  const given = SAMPLING.filter((name) => body[name] !== undefined);
  const [first] = given;
  if (first !== undefined && version === VERSION_WITHOUT_SAMPLING) return at([first], 'Extra inputs are not permitted');
  if (first !== undefined && family.refusesSampling) return badRequest(`\`${first}\` is deprecated for this model.`);
  return firstOf(
    () => (thinkingMode(body) === 'disabled' ? undefined : checkSamplingWithThinking(body)),
    () => checkBoth(body, family),
    () => checkStops(body),
  );
}

function checkSamplingWithThinking(body: JsonRecord): MessagesRefusal | undefined {
  const temperature = asNumber(body['temperature']);
  if (temperature !== undefined && temperature !== 1) {
    return badRequest('`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.');
  }
  if ((asNumber(body['top_p']) ?? 1) < MINIMUM_TOP_P_WITH_THINKING) {
    return badRequest('`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.');
  }
  if (body['top_k'] === undefined) return undefined;
  return badRequest('`top_k` must be unset when thinking is enabled.');
}

function checkBoth(body: JsonRecord, family: MessagesModelFamily): MessagesRefusal | undefined {
  if (!family.oneSamplingParameter || body['temperature'] === undefined || body['top_p'] === undefined)
    return undefined;
  return badRequest('`temperature` and `top_p` cannot both be specified for this model. Please use only one.');
}

function checkStops(body: JsonRecord): MessagesRefusal | undefined {
  const blank = asList(body['stop_sequences']).some((stop) => asText(stop).trim() === '');
  return blank ? badRequest('stop_sequences: each stop sequence must contain non-whitespace') : undefined;
}
