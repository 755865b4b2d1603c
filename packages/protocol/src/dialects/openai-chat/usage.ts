/** Token counts. This dialect counts cached tokens inside the prompt and (nearly always) reasoning inside the completion. */
import { type JsonObject, numberAt, objectAt } from '../../canonical/json.ts';
import { inputTokens, outputTokens, type Usage } from '../../canonical/usage.ts';
import type { AnswerContext } from '../dialect.ts';
import type { ChatQuirks } from './quirks.ts';

const WRITTEN_AT = ['prompt_tokens_details.cache_write_tokens', 'prompt_tokens_details.cache_creation_input_tokens'];
const REASONING_AT = ['completion_tokens_details.reasoning_tokens'];
const SEARCHES_AT = ['server_tool_use.web_search_requests'];

export function readUsage(wire: JsonObject, quirks: ChatQuirks): Usage {
  const promptTokens = count(wire, 'prompt_tokens');
  const completionTokens = count(wire, 'completion_tokens');
  const cached = firstCount(wire, quirks.cachedTokensAt);
  const written = firstCount(wire, WRITTEN_AT);
  const reasoning = firstCount(wire, REASONING_AT);
  const searches = firstCount(wire, SEARCHES_AT);
  const heard = audioIn(wire, 'prompt_tokens_details');
  const spoken = audioIn(wire, 'completion_tokens_details');
  const reasoningInside = quirks.reasoningOutsideCompletion ? 0 : (reasoning ?? 0);
  // What is more than the whole cannot be a part of it: such a host counts cached tokens beside the prompt.
  const cachedInside = (cached ?? 0) > (promptTokens ?? 0) ? 0 : (cached ?? 0);
  // Member by member: read for every answer, and a spread for each would cost more than the reading.
  const usage: { -readonly [Name in keyof Usage]: Usage[Name] } = {};
  if (promptTokens !== undefined)
    usage.prompt = Math.max(0, promptTokens - cachedInside - (written ?? 0) - (heard ?? 0));
  if (heard !== undefined) usage.inputAudio = heard;
  if (cached !== undefined) usage.inputCacheRead = cached;
  if (written !== undefined) usage.inputCacheWrite = written;
  if (completionTokens !== undefined)
    usage.completion = Math.max(0, completionTokens - reasoningInside - (spoken ?? 0));
  if (reasoning !== undefined) usage.internalReasoning = reasoning;
  if (spoken !== undefined) usage.outputAudio = spoken;
  if (searches !== undefined) usage.webSearch = searches;
  return usage;
}

export function writeUsage(usage: Usage): JsonObject {
  const promptTokens = inputTokens(usage);
  const completionTokens = outputTokens(usage);
  const written = (usage.inputCacheWrite ?? 0) + (usage.inputCacheWrite5Min ?? 0) + (usage.inputCacheWrite1H ?? 0);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: {
      cached_tokens: usage.inputCacheRead ?? 0,
      audio_tokens: usage.inputAudio ?? 0,
      ...(written > 0 && { cache_write_tokens: written }),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.internalReasoning ?? 0,
      ...(usage.outputAudio !== undefined && { audio_tokens: usage.outputAudio }),
    },
  };
}

/** The same counts, with their cost for callers who asked for it. An upstream's own word on cost is not what they pay. */
export function withCost(wire: JsonObject, usage: Usage, { costUsd }: AnswerContext): JsonObject {
  if (costUsd === undefined) return wire;
  const { cost: _theirs, ...counts } = wire;
  const cost = costUsd(usage);
  return cost === undefined ? counts : { ...counts, cost };
}

/** Audio is charged apart. None of it is what nearly every answer says, and no news. */
function audioIn(wire: JsonObject, details: string): number | undefined {
  const tokens = count(objectAt(wire, details), 'audio_tokens');
  return tokens === 0 ? undefined : tokens;
}

/** Counts that are no counts (negative, fractional) are treated as not reported. */
function count(object: JsonObject | undefined, name: string): number | undefined {
  const value = numberAt(object, name);
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function firstCount(wire: JsonObject, paths: readonly string[]): number | undefined {
  for (const path of paths) {
    const place = placeOf(path);
    const value = count(place.under === undefined ? wire : objectAt(wire, place.under), place.name);
    if (value !== undefined) return value;
  }
  return undefined;
}

type CountPlace = { readonly under: string | undefined; readonly name: string };

/** Where the paths of hosts lead, taken apart once each: they are part of the catalogue and the configuration, and few. */
const places = new Map<string, CountPlace>();

function placeOf(path: string): CountPlace {
  const known = places.get(path);
  if (known !== undefined) return known;
  const dot = path.indexOf('.');
  const place =
    dot === -1 ? { under: undefined, name: path } : { under: path.slice(0, dot), name: path.slice(dot + 1) };
  places.set(path, place);
  return place;
}
