/** Published tokenizers that can count a model's tokens if no host offers a count. */
export const TOKENIZERS = ['o200k_base'] as const;
export type Tokenizer = (typeof TOKENIZERS)[number];
