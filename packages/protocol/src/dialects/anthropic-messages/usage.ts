/** Token counts. In this dialect the input excludes cached tokens, and the output includes thinking. */
import { arrayAt, isJsonObject, type JsonObject, numberAt, objectAt } from '../../canonical/json.ts';
import { type Meter, outputTokens, type Usage } from '../../canonical/usage.ts';

/**
 * If an answer lists its passes, they are what is charged: the counters beside them exclude passes that compact the
 * conversation or call another model.
 */
export function readUsage(wire: JsonObject): Usage {
  const passes = arrayAt(wire, 'iterations').filter(isJsonObject);
  if (passes.length === 0) return readCounters(wire);
  const {
    prompt: _p,
    completion: _c,
    inputCacheRead: _r,
    inputCacheWrite5Min: _5,
    inputCacheWrite1H: _1,
    ...rest
  } = readCounters(wire);
  const sums: Partial<Record<Meter, number>> = {};
  for (const pass of passes) {
    const counted = readCounters(pass);
    for (const meter of PASS_METERS) sums[meter] = (sums[meter] ?? 0) + (counted[meter] ?? 0);
  }
  // Thinking is reported for the whole answer only, and is part of the output of the passes.
  const thinking = Math.min(rest.internalReasoning ?? 0, sums.completion ?? 0);
  return { ...rest, ...sums, completion: (sums.completion ?? 0) - thinking };
}

const PASS_METERS = ['prompt', 'inputCacheRead', 'inputCacheWrite5Min', 'inputCacheWrite1H', 'completion'] as const;

function readCounters(wire: JsonObject): Usage {
  const input = count(wire, 'input_tokens');
  const output = count(wire, 'output_tokens');
  const read = count(wire, 'cache_read_input_tokens');
  const written = count(wire, 'cache_creation_input_tokens');
  const byAge = objectAt(wire, 'cache_creation');
  const hour = count(byAge, 'ephemeral_1h_input_tokens');
  // Cache marks without a lifetime live five minutes: everything not reported as one hour counts as five minutes.
  const minutes =
    count(byAge, 'ephemeral_5m_input_tokens') ??
    (written === undefined ? undefined : Math.max(0, written - (hour ?? 0)));
  const thinking = count(objectAt(wire, 'output_tokens_details'), 'thinking_tokens');
  const searches = count(objectAt(wire, 'server_tool_use'), 'web_search_requests');
  return {
    ...(input !== undefined && { prompt: input }),
    ...(read !== undefined && { inputCacheRead: read }),
    ...(minutes !== undefined && { inputCacheWrite5Min: minutes }),
    ...(hour !== undefined && { inputCacheWrite1H: hour }),
    ...(output !== undefined && { completion: Math.max(0, output - (thinking ?? 0)) }),
    ...(thinking !== undefined && { internalReasoning: thinking }),
    ...(searches !== undefined && { webSearch: searches }),
  };
}

/** At the start of an answer only the input count is final. */
export function readStartUsage(wire: JsonObject): Usage {
  const { completion: _c, internalReasoning: _r, ...input } = readUsage(wire);
  return input;
}

/**
 * At the end of an answer the written tokens are one sum without their lifetimes, which only `start`, the usage of its
 * first event, lists. Read alone, one-hour tokens would count a second time, as five-minute ones.
 */
export function readEndUsage(wire: JsonObject, start: JsonObject | undefined): Usage {
  const byAge = objectAt(start, 'cache_creation');
  const written = count(wire, 'cache_creation_input_tokens');
  if (written === undefined || byAge === undefined || isJsonObject(wire['cache_creation'])) return readUsage(wire);
  const hour = count(byAge, 'ephemeral_1h_input_tokens') ?? 0;
  const minutes = Math.max(count(byAge, 'ephemeral_5m_input_tokens') ?? 0, written - hour);
  return readUsage({ ...wire, cache_creation: { ...byAge, ephemeral_5m_input_tokens: minutes } });
}

export function writeUsage(usage: Usage): JsonObject {
  const minutes = (usage.inputCacheWrite5Min ?? 0) + (usage.inputCacheWrite ?? 0);
  const hour = usage.inputCacheWrite1H ?? 0;
  const fresh =
    (usage.prompt ?? 0) +
    (usage.inputImage ?? 0) +
    (usage.inputAudio ?? 0) +
    (usage.inputDocument ?? 0) +
    (usage.toolUsePrompt ?? 0);
  return {
    input_tokens: fresh,
    output_tokens: outputTokens(usage),
    cache_creation_input_tokens: minutes + hour,
    cache_read_input_tokens: usage.inputCacheRead ?? 0,
    cache_creation: { ephemeral_1h_input_tokens: hour, ephemeral_5m_input_tokens: minutes },
    server_tool_use: { web_search_requests: usage.webSearch ?? 0 },
    service_tier: 'standard',
    ...(usage.internalReasoning !== undefined &&
      usage.internalReasoning > 0 && { output_tokens_details: { thinking_tokens: usage.internalReasoning } }),
  };
}

/** Invalid counts (null, negative, fractional) are treated as not reported. */
function count(object: JsonObject | undefined, name: string): number | undefined {
  const value = numberAt(object, name);
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
