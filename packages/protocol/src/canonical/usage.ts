/**
 * Usage in disjoint meters: no token is counted twice, so cost is a plain sum.
 * Tokens, but for searches, pictures and videos (pieces) and seconds of video; a clip may be told in more ways than one.
 * Whether a vendor counts cached tokens inside its prompt count is settled in that dialect's `usage.ts`.
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
  'pictures',
  'videos',
  'videoSeconds',
] as const;

export type Meter = (typeof METERS)[number];

/** Absent: not reported. Zero: reported, and none. */
export type Usage = Readonly<Partial<Record<Meter, number>>>;

/** How much text came, and in how many pieces: what is left to count by where no usage is reported. */
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

/** By what is there, not by all that could be: usage is a handful of meters, and summed up several times in every request. */
const sum = (usage: Usage, meters: ReadonlySet<string>): number => {
  let total = 0;
  for (const meter in usage) if (meters.has(meter)) total += usage[meter as Meter] ?? 0;
  return total;
};

const INPUTS: ReadonlySet<string> = new Set(INPUT_METERS);
const OUTPUTS: ReadonlySet<string> = new Set(OUTPUT_METERS);

export const inputTokens = (usage: Usage): number => sum(usage, INPUTS);
export const outputTokens = (usage: Usage): number => sum(usage, OUTPUTS);

/** Vendors report usage in pieces: the later value of a meter wins, nothing is ever added up. */
export const mergeUsage = (earlier: Usage, later: Usage): Usage => ({ ...earlier, ...later });
