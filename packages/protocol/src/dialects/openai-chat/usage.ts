/**
 * Token counts. In this dialect the prompt includes cached tokens, and the completion (nearly always) includes
 * reasoning.
 */
import { type JsonObject, objectAt } from '../../canonical/json.ts';
import { inputTokens, outputTokens, type Usage } from '../../canonical/usage.ts';
import type { AnswerContext } from '../dialect.ts';
import { withWholeCounts } from '../upstream-answers.ts';
import type { ChatQuirks } from './quirks.ts';

/** Counts that hosts include in the two sums, or report separately. */
type Parts = {
  readonly cached: number;
  readonly written: number;
  readonly audio: number;
  readonly reasoning: number;
};
const PART_NAMES = ['reasoning', 'audio', 'cached', 'written'] as const;

export function readUsage(wire: JsonObject, quirks: ChatQuirks): Usage {
  const promptTokens = count(wire, 'prompt_tokens');
  const completionTokens = count(wire, 'completion_tokens');
  const ofPrompt = objectAt(wire, 'prompt_tokens_details');
  const ofCompletion = objectAt(wire, 'completion_tokens_details');
  const cached = firstCount(wire, quirks.cachedTokensAt);
  const written = count(ofPrompt, 'cache_write_tokens') ?? count(ofPrompt, 'cache_creation_input_tokens');
  const reasoning = count(ofCompletion, 'reasoning_tokens');
  const searches = count(objectAt(wire, 'server_tool_use'), 'web_search_requests');
  const audio = audioIn(ofPrompt);
  const spoken = audioIn(ofCompletion);
  const parts = { cached: cached ?? 0, written: written ?? 0, audio: audio ?? 0, reasoning: reasoning ?? 0 };
  const extra = extraTokens(wire, promptTokens, completionTokens);
  const { inside, hidden } = placed(parts, extra, promptTokens ?? 0, quirks);
  // A part of the prompt is at most what the parts before it leave: some hosts report the same tokens as read and as
  // written.
  const cachedIn = Math.min(inside.cached, promptTokens ?? 0);
  const writtenIn = Math.min(inside.written, Math.max(0, (promptTokens ?? 0) - cachedIn));
  const audioInPrompt = Math.min(inside.audio, Math.max(0, (promptTokens ?? 0) - cachedIn - writtenIn));
  const reasoningIn = Math.min(inside.reasoning, completionTokens ?? inside.reasoning);
  // Assigned one by one: this runs for every answer, and a spread per member would cost more than the reading.
  const usage: { -readonly [Name in keyof Usage]: Usage[Name] } = {};
  if (promptTokens !== undefined) usage.prompt = promptTokens - cachedIn - writtenIn - audioInPrompt;
  if (audio !== undefined) usage.inputAudio = promptTokens === undefined || inside.audio === 0 ? audio : audioInPrompt;
  if (cached !== undefined)
    usage.inputCacheRead = promptTokens === undefined || inside.cached === 0 ? cached : cachedIn;
  if (written !== undefined)
    usage.inputCacheWrite = promptTokens === undefined || inside.written === 0 ? written : writtenIn;
  if (completionTokens !== undefined)
    usage.completion =
      Math.max(0, completionTokens - reasoningIn - (spoken ?? 0)) + (reasoning === undefined ? 0 : hidden);
  if (reasoning !== undefined) usage.internalReasoning = inside.reasoning === 0 ? reasoning : reasoningIn;
  else if (hidden > 0) usage.internalReasoning = hidden;
  if (spoken !== undefined) usage.outputAudio = spoken;
  if (searches !== undefined) usage.webSearch = searches;
  return usage;
}

/** What the host's total exceeds prompt and completion by; undefined if unknown. */
function extraTokens(wire: JsonObject, prompt: number | undefined, completion: number | undefined): number | undefined {
  const total = count(wire, 'total_tokens');
  if (total === undefined || prompt === undefined || completion === undefined) return undefined;
  return total < prompt + completion ? undefined : total - prompt - completion;
}

/**
 * Decides which parts the two sums include. The host's total decides if there is one: parts that add up to what it
 * exceeds the two sums by are separate from them, and an unexplained rest is hidden output. Without a total,
 * cached, written or audio tokens above the prompt are not included in it, and a quirk decides about reasoning.
 */
function placed(
  parts: Parts,
  extra: number | undefined,
  prompt: number,
  quirks: ChatQuirks,
): { inside: Parts; hidden: number } {
  if (extra === undefined)
    return {
      inside: {
        ...parts,
        cached: parts.cached > prompt ? 0 : parts.cached,
        written: parts.written > prompt ? 0 : parts.written,
        audio: parts.audio > prompt ? 0 : parts.audio,
        reasoning: quirks.reasoningOutsideCompletion ? 0 : parts.reasoning,
      },
      hidden: 0,
    };
  if (extra === 0) return { inside: parts, hidden: 0 };
  for (let chosen = 1; chosen < 2 ** PART_NAMES.length; chosen++) {
    const beside = PART_NAMES.filter((_, at) => (chosen >> at) & 1);
    if (beside.reduce((sum, name) => sum + parts[name], 0) !== extra) continue;
    return { inside: { ...parts, ...Object.fromEntries(beside.map((name) => [name, 0])) }, hidden: 0 };
  }
  return { inside: parts, hidden: extra };
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

/** The same counts, with their cost for callers who asked for it. The upstream's own cost is not what they pay. */
export function withCost(wire: JsonObject, usage: Usage, { costUsd }: AnswerContext): JsonObject {
  const sound = withWholeCounts(wire);
  if (costUsd === undefined) return sound;
  const { cost: _theirs, ...counts } = sound;
  const cost = costUsd(usage);
  return cost === undefined ? counts : { ...counts, cost };
}

/** Audio is charged separately. Zero is what nearly every answer reports, and is treated as absent. */
function audioIn(details: JsonObject | undefined): number | undefined {
  const tokens = count(details, 'audio_tokens');
  return tokens === 0 ? undefined : tokens;
}

/** Invalid counts (negative, fractional) are treated as not reported. */
function count(object: JsonObject | undefined, name: string): number | undefined {
  const value = object?.[name];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
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

/** Parsed paths of hosts' counters, cached: they come from the catalogue and the configuration, and are few. */
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
