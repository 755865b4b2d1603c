// What each maker's models take through converse, as langchain-aws 1.9.1, @ai-sdk/amazon-bedrock 5.0.101 and LiteLLM
// 1.109.1 encode it. Where they disagree, what is sent is what all of them send; what a model then lacks is a loss.

import type { FamilyRules, ModelFamily } from '@trivium/protocol/dialects';

const ADDITIONAL = 'additionalModelRequestFields';
const EFFORT = `${ADDITIONAL}.reasoning_effort`;

/** Text in, text out: no schema, no points for the cache, no citations, no reasoning that is sent back. */
const PLAIN: Partial<FamilyRules> = {
  toolChoices: [],
  jsonSchema: 'instruction',
  effortAt: '',
  reasoningBack: 'none',
  cachePoints: 0,
  cacheTtl: false,
  cacheWithTools: false,
  richResults: false,
  sources: false,
};

const NOVA: Partial<FamilyRules> = {
  ...PLAIN,
  toolChoices: ['auto', 'any', 'tool'],
  jsonSchema: 'tool',
  topKAt: `${ADDITIONAL}.inferenceConfig.topK`,
  cachePoints: 4,
  richResults: true,
};

const CLOSED_GPT: Partial<FamilyRules> = {
  ...PLAIN,
  toolChoices: ['auto', 'any', 'tool'],
  jsonSchema: 'tool',
  effortAt: `${ADDITIONAL}.reasoning.effort`,
  reasoningBack: 'signed',
  stopSequences: false,
  minOutputTokens: 16,
};

const MISTRAL: Partial<FamilyRules> = { ...PLAIN, callIdLength: 9 };

export const CONVERSE_FAMILIES: readonly ModelFamily[] = [
  {
    models: ['amazon.nova-2'],
    ...NOVA,
    effortAt: `${ADDITIONAL}.reasoningConfig.maxReasoningEffort`,
    effortWith: { [`${ADDITIONAL}.reasoningConfig.type`]: 'enabled' },
    uncappedEffort: 'high',
    reasoningBack: 'unsigned',
  },
  { models: ['amazon.nova'], ...NOVA },
  {
    models: ['anthropic.claude'],
    forcedWhileReasoning: false,
    jsonSchema: 'tool',
    effortAt: `${ADDITIONAL}.output_config.effort`,
    thinkingAt: `${ADDITIONAL}.thinking`,
    topKAt: `${ADDITIONAL}.top_k`,
    stopMatchedAt: '/delta/stop_sequence',
    prefill: true,
  },
  { models: ['meta.llama'], ...PLAIN, toolChoices: ['auto'] },
  { models: ['mistral.mistral-large-3'], ...MISTRAL, toolChoices: ['auto', 'any'], jsonSchema: 'native' },
  { models: ['mistral.ministral-3'], ...MISTRAL, jsonSchema: 'native' },
  { models: ['mistral.mistral-large'], ...MISTRAL, toolChoices: ['auto', 'any'] },
  { models: ['mistral.'], ...MISTRAL },
  { models: ['deepseek.r1'], ...PLAIN },
  {
    models: ['deepseek.'],
    ...PLAIN,
    toolChoices: ['auto', 'any'],
    forcedWhileReasoning: false,
    jsonSchema: 'native',
    effortAt: EFFORT,
    reasoningBack: 'unsigned',
  },
  { models: ['openai.gpt-oss'], ...PLAIN, effortAt: EFFORT, stopSequences: false },
  { models: ['openai.gpt'], ...CLOSED_GPT },
  {
    models: ['xai.'],
    ...PLAIN,
    toolChoices: ['auto', 'any', 'tool'],
    jsonSchema: 'tool',
    stopSequences: false,
    minOutputTokens: 16,
  },
  { models: ['zai.glm-5.3'], ...PLAIN, toolChoices: ['auto', 'any', 'tool'], jsonSchema: 'native' },
  { models: ['zai.glm-5'], ...PLAIN, toolChoices: ['auto', 'any'], jsonSchema: 'native' },
  { models: ['zai.'], ...PLAIN, toolChoices: ['auto', 'any'] },
  { models: ['moonshotai.kimi-k3'], ...PLAIN, reasoningBack: 'unsigned', minOutputTokens: 16 },
  { models: ['moonshotai.', 'moonshot.'], ...PLAIN, reasoningBack: 'unsigned' },
  { models: ['minimax.'], ...PLAIN, reasoningBack: 'unsigned' },
  { models: ['qwen.qwen3-coder-next'], ...PLAIN },
  { models: ['qwen.'], ...PLAIN, jsonSchema: 'native' },
  // Any other maker's.
  { models: [''], ...PLAIN },
];
