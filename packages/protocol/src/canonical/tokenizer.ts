/** Published tokenizers that can count the tokens of a model where no host does. */
export const TOKENIZERS = ['o200k_base'] as const;
export type Tokenizer = (typeof TOKENIZERS)[number];
