// The image models and what each accepts. This table is complete.

export interface ImageFamily {
  readonly pattern: RegExp;
  readonly vendor: string;
  readonly maxCount: number;
  readonly maxImages: number;
  readonly sizes: 'three' | 'custom' | 'none';
  /** `quality`, `background`, `output_format`, `output_compression`, `moderation`, `input_fidelity`, `stream`. */
  readonly settings: boolean;
  /** `response_format`; the newer family always returns bytes and refuses the member. */
  readonly responseFormat: boolean;
  readonly masks: boolean;
  readonly countsTokens: boolean;
  /** `aspect_ratio` and `resolution`, and images inside JSON. */
  readonly ratios: boolean;
}

const gpt = {
  vendor: 'openai',
  maxCount: 10,
  maxImages: 16,
  settings: true,
  responseFormat: false,
  masks: true,
  countsTokens: true,
  ratios: false,
} as const;

const imageFamilies: readonly ImageFamily[] = [
  { ...gpt, pattern: /^gpt-image-2$/u, sizes: 'custom' },
  { ...gpt, pattern: /^gpt-image-(1|1\.5|2\.5-[a-z]+)$/u, sizes: 'three' },
  {
    pattern: /^grok-imagine-image/u,
    vendor: 'xai',
    maxCount: 10,
    maxImages: 1,
    sizes: 'none',
    settings: false,
    responseFormat: true,
    masks: false,
    countsTokens: false,
    ratios: true,
  },
  {
    pattern: /^(?!unknown|missing|no-such)/u,
    vendor: 'compatible',
    maxCount: 4,
    maxImages: 1,
    sizes: 'three',
    settings: false,
    responseFormat: true,
    masks: true,
    countsTokens: false,
    ratios: false,
  },
];

export function findImageFamily(model: string, vendor: string): ImageFamily | undefined {
  return imageFamilies.find((family) => family.vendor === vendor && family.pattern.test(model));
}
