/** Token counts. In this dialect the prompt includes cached tokens, and the candidates exclude thoughts. */
import { arrayAt, isJsonObject, type JsonObject, numberAt, objectAt, stringAt } from '../../canonical/json.ts';
import { inputTokens, type Meter, type Usage } from '../../canonical/usage.ts';
import type { TargetFacts } from '../dialect.ts';
import { isNewGeneration } from './seals.ts';

/**
 * Absent members of early chunks stay absent: later reports are merged over earlier ones. The last report is complete:
 * if it omits the candidates' tokens, they follow from its total, and no earlier count is used.
 */
export function readUsage(wire: JsonObject, target: TargetFacts, isLast = false): Usage {
  const prompt = count(wire, 'promptTokenCount');
  const candidates = count(wire, 'candidatesTokenCount') ?? (isLast ? restOfTotal(wire) : undefined);
  const cached = count(wire, 'cachedContentTokenCount');
  const thoughts = count(wire, 'thoughtsTokenCount');
  const toolUse = count(wire, 'toolUsePromptTokenCount');
  const inputs = inputMeters(wire, prompt ?? 0, cached ?? 0, target);
  const outputs = modalities(wire, 'candidatesTokensDetails');
  const [image, audio] = [outputs.get('IMAGE'), outputs.get('AUDIO')];
  const inputSum = Object.values(inputs).reduce((total, each) => total + each, 0);
  return {
    ...(prompt !== undefined && { prompt: Math.max(0, prompt - (cached ?? 0) - inputSum), ...inputs }),
    ...(cached !== undefined && { inputCacheRead: cached }),
    ...(toolUse !== undefined && { toolUsePrompt: toolUse }),
    ...(candidates !== undefined && { completion: Math.max(0, candidates - (image ?? 0) - (audio ?? 0)) }),
    ...(image !== undefined && { outputImage: image }),
    ...(audio !== undefined && { outputAudio: audio }),
    ...(thoughts !== undefined && { internalReasoning: thoughts }),
  };
}

/** Meters that are part of another one whenever a report does not break that one down by modality. */
const PARTS_OF = {
  prompt: ['inputImage', 'inputAudio', 'inputDocument'],
  completion: ['outputImage', 'outputAudio'],
} as const;
const SUMS = ['prompt', 'completion'] as const;

/**
 * The reports of one stream. A later one may omit the modalities of an earlier one: its sum includes them, so they are
 * reset instead of being counted a second time.
 */
export class StreamedUsage {
  readonly #broken = new Set<Meter>();

  read(wire: JsonObject, target: TargetFacts, isLast: boolean): Usage {
    const usage: Partial<Record<Meter, number>> = { ...readUsage(wire, target, isLast) };
    for (const sum of SUMS)
      for (const part of PARTS_OF[sum])
        if (usage[part] !== undefined) this.#broken.add(part);
        else if (usage[sum] !== undefined && this.#broken.has(part)) usage[part] = 0;
    return usage;
  }
}

function restOfTotal(wire: JsonObject): number | undefined {
  const total = count(wire, 'totalTokenCount');
  const others = ['promptTokenCount', 'thoughtsTokenCount', 'toolUsePromptTokenCount'];
  return total === undefined
    ? undefined
    : Math.max(0, total - others.reduce((sum, name) => sum + (count(wire, name) ?? 0), 0));
}

type InputMeters = { inputImage?: number; inputAudio?: number; inputDocument?: number };

/**
 * Fresh tokens by modality. If cached tokens are not broken down by modality, fresh ones cannot be either. A cached
 * document may be reported as images: an excess of cached tokens of one is deducted from the other, and their sum is at
 * most the number of fresh tokens.
 */
function inputMeters(wire: JsonObject, prompt: number, cached: number, target: TargetFacts): InputMeters {
  const given = modalities(wire, 'promptTokensDetails');
  const inCache = modalities(wire, 'cacheTokensDetails');
  if (given.size === 0 || (cached > 0 && inCache.size === 0)) return {};
  const beyond = (modality: string): number => (inCache.get(modality) ?? 0) - (given.get(modality) ?? 0);
  let room = Math.max(0, prompt - cached);
  const fresh = (modality: string, twin?: string): number => {
    const uncached = -beyond(modality) - (twin === undefined ? 0 : Math.max(0, beyond(twin)));
    const tokens = Math.min(room, Math.max(0, uncached));
    room -= tokens;
    return tokens;
  };
  const [pictures, audio, pages] = [fresh('IMAGE', 'DOCUMENT'), fresh('AUDIO'), fresh('DOCUMENT', 'IMAGE')];
  // The newest generation counts documents as images.
  const asImage = isNewGeneration(target) ? pages : 0;
  const [image, document] = [pictures + asImage, pages - asImage];
  return {
    ...(image > 0 && { inputImage: image }),
    ...(audio > 0 && { inputAudio: audio }),
    ...(document > 0 && { inputDocument: document }),
  };
}

function modalities(wire: JsonObject, name: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const entry of arrayAt(wire, name)) {
    if (!isJsonObject(entry)) continue;
    const modality = stringAt(entry, 'modality');
    const tokens = count(entry, 'tokenCount');
    if (modality !== undefined && tokens !== undefined) counts.set(modality, (counts.get(modality) ?? 0) + tokens);
  }
  return counts;
}

/** Searches the model made, charged per search: each one for the newest generation, one per answer for older ones. */
export function readSearches(candidate: JsonObject, target: TargetFacts): Usage {
  const grounding = objectAt(candidate, 'groundingMetadata');
  const queries = arrayAt(grounding, 'webSearchQueries').length;
  // Map lookups are charged per use, too, and only their results show them.
  const places = arrayAt(grounding, 'groundingChunks').some(
    (chunk) => isJsonObject(chunk) && isJsonObject(chunk['maps']),
  );
  if (queries === 0) return places ? { webSearch: 1 } : {};
  return { webSearch: isNewGeneration(target) ? queries : 1 };
}

export function writeUsage(usage: Usage): JsonObject {
  const toolUse = usage.toolUsePrompt ?? 0;
  const prompt = inputTokens(usage) - toolUse;
  const [image, audio] = [usage.outputImage ?? 0, usage.outputAudio ?? 0];
  const candidates = (usage.completion ?? 0) + image + audio;
  const thoughts = usage.internalReasoning ?? 0;
  const cached = usage.inputCacheRead ?? 0;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: candidates,
    totalTokenCount: prompt + candidates + thoughts + toolUse,
    ...(cached > 0 && { cachedContentTokenCount: cached }),
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
    ...(toolUse > 0 && { toolUsePromptTokenCount: toolUse }),
    ...details('promptTokensDetails', cached > 0 ? [] : inputDetails(usage)),
    ...details('candidatesTokensDetails', [
      ['TEXT', image + audio > 0 ? (usage.completion ?? 0) : 0],
      ['IMAGE', image],
      ['AUDIO', audio],
    ]),
  };
}

type Detail = readonly [modality: string, tokenCount: number];

/** Only if the upstream reported modalities; a breakdown with text alone adds nothing. */
function inputDetails(usage: Usage): Detail[] {
  const others: Detail[] = [
    ['IMAGE', usage.inputImage ?? 0],
    ['AUDIO', usage.inputAudio ?? 0],
    ['DOCUMENT', usage.inputDocument ?? 0],
  ];
  return others.some(([, tokens]) => tokens > 0) ? [['TEXT', usage.prompt ?? 0], ...others] : [];
}

function details(name: string, all: readonly Detail[]): JsonObject {
  const given = all.filter(([, tokens]) => tokens > 0);
  return given.length === 0 ? {} : { [name]: given.map(([modality, tokenCount]) => ({ modality, tokenCount })) };
}

/** Invalid counts (negative, fractional) are treated as not reported. */
function count(object: JsonObject, name: string): number | undefined {
  const value = numberAt(object, name);
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
