// Amazon Bedrock, in the operator's own account and region: Claude through messages, OpenAI's models through Responses,
// every other maker's through converse.

import type { FamilyRules, ModelFamily } from '@trivium/protocol/dialects';
import { messagesOffer, responsesOffer } from './offers.ts';
import type { Provider } from './provider.ts';

// What each maker's models take through converse, as langchain-aws 1.9.1, @ai-sdk/amazon-bedrock 5.0.101 and LiteLLM
// 1.109.1 encode it. Where they disagree, what is sent is what all of them send; what a model then lacks is a loss.

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
  counts: false,
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

const CONVERSE_FAMILIES: readonly ModelFamily[] = [
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

const CHINA = 'https://bedrock-runtime.{region}.amazonaws.com.cn';
const place = {
  baseUrl: 'https://bedrock-runtime.{region}.amazonaws.com',
  baseUrlOfRegion: {
    'cn-north-1': CHINA,
    'cn-northwest-1': CHINA,
    'eusc-de-east-1': 'https://bedrock-runtime.{region}.amazonaws.eu',
  },
  sign: { kind: 'aws-sigv4', service: 'bedrock' },
} as const;

export const amazonBedrock: Provider = {
  id: 'amazon-bedrock',
  displayName: 'Amazon Bedrock',
  offers: {
    'anthropic-messages': {
      ...messagesOffer({
        ...place,
        // No web tools; tool search by regex (not BM25), under the clouds' beta: tables in @ai-sdk/amazon-bedrock
        // 4.0.186 and LiteLLM 1.109.1.
        quirks: {
          bodyVersion: 'bedrock-2023-05-31',
          streamMember: false,
          bodyBetas: true,
          webSearch: false,
          webFetch: false,
          toolSearchBm25: false,
          toolSearchBeta: 'tool-search-tool-2025-10-19',
          fetchesUrls: false,
        },
      }),
      path: '/model/{model}/invoke',
      streamPath: '/model/{model}/invoke-with-response-stream',
      escapesSlashes: true,
      headers: [],
    },
    'amazon-converse': {
      ...place,
      path: '/model/{model}/converse',
      streamPath: '/model/{model}/converse-stream',
      actionPaths: { count: '/model/{model}/count-tokens' },
      escapesSlashes: true,
      quirks: { families: CONVERSE_FAMILIES },
    },
    'bedrock-rerank': {
      ...place,
      baseUrl: 'https://bedrock-agent-runtime.{region}.amazonaws.com',
      path: '/rerank',
    },
    'openai-responses': {
      ...responsesOffer({ ...place, quirks: { webSearchTool: false, homeMembers: false, obfuscationOff: false } }),
      path: '/openai/v1/responses',
    },
  },
};
