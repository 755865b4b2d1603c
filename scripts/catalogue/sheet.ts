// What the comparison knows of one model at one host, in one form for our catalogue and for every foreign table.

/** The price kinds that foreign tables state too. Charges by picture or second depend on sizes that they state otherwise. */
export const COMPARED_KINDS = [
  'prompt',
  'completion',
  'input_cache_read',
  'input_cache_write',
  'input_cache_write_5_min',
  'input_cache_write_1_h',
  'audio',
] as const;

export type ComparedKind = (typeof COMPARED_KINDS)[number];

export const INPUTS = ['text', 'image', 'audio', 'video', 'file'] as const;

export type Input = (typeof INPUTS)[number];

export interface Sheet {
  /** Prompt and answer together. */
  readonly contextLength?: number;
  /** The prompt's share, where a table states that instead. */
  readonly maxInput?: number;
  readonly maxOutput?: number;
  /** Only what the table states; many state what a model takes, and never what it does not. */
  readonly inputs?: Readonly<Partial<Record<Input, boolean>>>;
  /** USD for a million tokens, as `priceText` writes it. */
  readonly prices?: Readonly<Partial<Record<ComparedKind, string>>>;
}

export interface Tier {
  /** The price is for prompts with more tokens than this. */
  readonly above: number;
  readonly usd: number;
}

/** Foreign tables count in dollars per token, as binary fractions: ten digits are more than any list price has. */
const amount = (usd: number): string => String(Number(usd.toPrecision(10)));

/** `3`, or `3, above 200k 6` where long prompts cost more. Tiers that change nothing are left out. */
export const priceText = (base: number, tiers: readonly Tier[] = []): string => {
  const steps: string[] = [amount(base)];
  let last = amount(base);
  for (const { above, usd } of [...tiers].sort((a, b) => a.above - b.above)) {
    if (amount(usd) === last) continue;
    last = amount(usd);
    steps.push(`above ${above / 1000}k ${last}`);
  }
  return steps.join(', ');
};
