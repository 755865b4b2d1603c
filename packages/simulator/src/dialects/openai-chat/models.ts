// The models a vendor knows and the parameters each family refuses. This table is complete.

export interface ChatModelFamily {
  readonly pattern: RegExp;
  /** Listed by `GET /v1/models`. */
  readonly examples: readonly string[];
  readonly isReasoning: boolean;
  /** Refused with any value. */
  readonly refuses: readonly string[];
  readonly efforts: readonly string[];
  readonly hasVerbosity: boolean;
}

const REASONING_REFUSES = ['logprobs', 'top_logprobs', 'logit_bias', 'stop'] as const;
const plain = { isReasoning: false, refuses: [], efforts: [], hasVerbosity: false } as const;

export const openaiFamilies: readonly ChatModelFamily[] = [
  {
    pattern: /^o3-mini/u,
    examples: [],
    isReasoning: true,
    refuses: ['logprobs', 'top_logprobs', 'logit_bias', 'parallel_tool_calls'],
    efforts: ['low', 'medium', 'high'],
    hasVerbosity: false,
  },
  {
    pattern: /^o\d/u,
    examples: ['o1', 'o3', 'o3-mini', 'o4-mini'],
    isReasoning: true,
    refuses: [...REASONING_REFUSES, 'parallel_tool_calls'],
    efforts: ['low', 'medium', 'high'],
    hasVerbosity: false,
  },
  // These support log probabilities.
  {
    pattern: /^gpt-5\.[4-9]/u,
    examples: [],
    isReasoning: true,
    refuses: ['logit_bias', 'stop'],
    efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
    hasVerbosity: true,
  },
  {
    pattern: /^gpt-[56](?![0-9])/u,
    examples: ['gpt-5', 'gpt-5-mini', 'gpt-5-nano', 'gpt-5.1', 'gpt-6'],
    isReasoning: true,
    refuses: REASONING_REFUSES,
    efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
    hasVerbosity: true,
  },
  { pattern: /^gpt-4/u, examples: ['gpt-4', 'gpt-4-turbo', 'gpt-4.1', 'gpt-4o', 'gpt-4o-mini'], ...plain },
  { pattern: /^gpt-3\.5/u, examples: ['gpt-3.5-turbo'], ...plain },
  { pattern: /^gpt-audio/u, examples: [], ...plain },
  { pattern: /^computer-use-preview/u, examples: [], ...plain },
  { pattern: /^chatgpt-/u, examples: ['chatgpt-4o-latest'], ...plain },
];

/** A self-hosted server serves any model it was started with; only names that say so are missing. */
export const compatibleFamilies: readonly ChatModelFamily[] = [
  {
    pattern: /^(?!unknown|missing|no-such)/u,
    examples: ['llama-3.3-70b-instruct', 'qwen3-32b', 'deepseek-r1'],
    ...plain,
  },
];
