// The image models and what each accepts. This table is complete.

export interface ImageFamily {
  readonly pattern: RegExp;
  readonly vendor: string;
  /** The members of a request: the newest family always returns bytes, the older ones also addresses. */
  readonly shape: 'Gpt' | 'Grok' | 'Compatible';
  readonly maxImages: number;
  readonly hasCustomSizes: boolean;
  readonly masks: boolean;
  readonly countsTokens: boolean;
}

const gpt = { vendor: 'openai', shape: 'Gpt', maxImages: 16, masks: true, countsTokens: true } as const;
const other = { maxImages: 1, hasCustomSizes: false, countsTokens: false } as const;

const imageFamilies: readonly ImageFamily[] = [
  { ...gpt, pattern: /^gpt-image-2$/u, hasCustomSizes: true },
  { ...gpt, pattern: /^gpt-image-(1|1\.5|2\.5-[a-z]+)$/u, hasCustomSizes: false },
  { ...other, pattern: /^grok-imagine-image/u, vendor: 'xai', shape: 'Grok', masks: false },
  { ...other, pattern: /^(?!unknown|missing|no-such)/u, vendor: 'compatible', shape: 'Compatible', masks: true },
];

export function findImageFamily(model: string, vendor: string): ImageFamily | undefined {
  return imageFamilies.find((family) => family.vendor === vendor && family.pattern.test(model));
}
