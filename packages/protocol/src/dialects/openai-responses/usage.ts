/** Token counts. In this dialect the input includes cached tokens, and the output includes reasoning. */
import { type JsonObject, numberAt, objectAt } from '../../canonical/json.ts';
import { inputTokens, outputTokens, type Usage } from '../../canonical/usage.ts';
import type { ResponsesQuirks } from './quirks.ts';

export function readUsage(wire: JsonObject, quirks: ResponsesQuirks): Usage {
  const input = count(wire, 'input_tokens');
  const output = count(wire, 'output_tokens');
  const inputDetails = objectAt(wire, 'input_tokens_details');
  const cached = count(inputDetails, 'cached_tokens');
  const written = count(inputDetails, 'cache_write_tokens');
  const reasoning = count(objectAt(wire, 'output_tokens_details'), 'reasoning_tokens');
  const inside = quirks.reasoningOutsideOutput ? 0 : (reasoning ?? 0);
  return {
    ...(input !== undefined && { prompt: Math.max(0, input - (cached ?? 0) - (written ?? 0)) }),
    ...(cached !== undefined && { inputCacheRead: cached }),
    ...(written !== undefined && { inputCacheWrite: written }),
    ...(output !== undefined && { completion: Math.max(0, output - inside) }),
    ...(reasoning !== undefined && { internalReasoning: reasoning }),
  };
}

export function writeUsage(usage: Usage): JsonObject {
  const input = inputTokens(usage);
  const output = outputTokens(usage);
  const written = (usage.inputCacheWrite ?? 0) + (usage.inputCacheWrite5Min ?? 0) + (usage.inputCacheWrite1H ?? 0);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.inputCacheRead ?? 0, cache_write_tokens: written },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.internalReasoning ?? 0 },
    total_tokens: input + output,
  };
}

/** Invalid counts (null, negative, fractional) are treated as not reported. */
function count(object: JsonObject | undefined, name: string): number | undefined {
  const value = numberAt(object, name);
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
