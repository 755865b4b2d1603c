/**
 * Usage in disjoint dimensions: no token is counted twice, so the cost is a plain sum. The unit is tokens, except for
 * searches, images, videos, units of reranking and of paths passed through (pieces) and video duration (seconds); one clip
 * may be reported in more than one dimension. Whether a vendor includes cached tokens in its prompt count is handled in that dialect's `usage.ts`.
 */
export const METERS = [
  'prompt',
  'inputCacheRead',
  'inputCacheWrite5Min',
  'inputCacheWrite1H',
  'inputCacheWrite',
  'inputImage',
  'inputAudio',
  'inputDocument',
  'toolUsePrompt',
  'completion',
  'internalReasoning',
  'outputImage',
  'outputAudio',
  'outputVideo',
  'webSearch',
  'searchUnits',
  'pictures',
  'videos',
  'videoSeconds',
  'units',
] as const;

export type Meter = (typeof METERS)[number];

/** Absent: not reported. Zero: reported as none. */
export type Usage = Readonly<Partial<Record<Meter, number>>>;

/**
 * How much text the model produced, and in how many pieces: the basis of the estimate if the upstream reports no usage.
 */
export type Produced = { readonly producedCharacters: number; readonly producedPieces: number };
export const NOTHING_PRODUCED: Produced = { producedCharacters: 0, producedPieces: 0 };

export const INPUT_METERS: readonly Meter[] = [
  'prompt',
  'inputCacheRead',
  'inputCacheWrite5Min',
  'inputCacheWrite1H',
  'inputCacheWrite',
  'inputImage',
  'inputAudio',
  'inputDocument',
  'toolUsePrompt',
];
export const OUTPUT_METERS: readonly Meter[] = [
  'completion',
  'internalReasoning',
  'outputImage',
  'outputAudio',
  'outputVideo',
];

/** Iterates over the reported dimensions, not over all: usage has few, and is summed several times per request. */
const sum = (usage: Usage, meters: ReadonlySet<string>): number => {
  let total = 0;
  for (const meter in usage) if (meters.has(meter)) total += usage[meter as Meter] ?? 0;
  return total;
};

const INPUTS: ReadonlySet<string> = new Set(INPUT_METERS);
const OUTPUTS: ReadonlySet<string> = new Set(OUTPUT_METERS);

export const inputTokens = (usage: Usage): number => sum(usage, INPUTS);
export const outputTokens = (usage: Usage): number => sum(usage, OUTPUTS);

/** Vendors report usage in parts: the later value of a dimension replaces the earlier; values are never added. */
export const mergeUsage = (earlier: Usage, later: Usage): Usage => ({ ...earlier, ...later });
