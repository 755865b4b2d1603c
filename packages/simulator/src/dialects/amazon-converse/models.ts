// The models of this host by their makers, and what each refuses. This table is complete.

export interface ConverseFamily {
  readonly pattern: RegExp;
  readonly choices: readonly string[];
  /** How it shows its reasoning: signed, in the open, as a seal alone, or not at all. */
  readonly reasoning: 'signed' | 'open' | 'sealed' | 'none';
  readonly cachePoints?: true;
  readonly noStops?: true;
  readonly minTokens?: number;
  readonly callId?: RegExp;
  readonly schema?: true;
  /** Members it takes in `additionalModelRequestFields`. */
  readonly fields?: readonly string[];
  readonly noTools?: true;
  /** Images and a status in results; documents that are cited. */
  readonly rich?: true;
}

const ALL = ['auto', 'any', 'tool'];
const CALL_ID = /^[A-Za-z0-9]{9}$/u;

export const families: readonly ConverseFamily[] = [
  {
    pattern: /^anthropic\.claude/u,
    choices: ALL,
    reasoning: 'signed',
    cachePoints: true,
    fields: ['thinking', 'top_k', 'output_config', 'tool_choice', 'anthropic_beta'],
    rich: true,
  },
  {
    pattern: /^amazon\.nova-2/u,
    choices: ALL,
    reasoning: 'open',
    cachePoints: true,
    fields: ['inferenceConfig', 'reasoningConfig'],
    rich: true,
  },
  {
    pattern: /^amazon\.nova/u,
    choices: ALL,
    reasoning: 'none',
    cachePoints: true,
    fields: ['inferenceConfig'],
    rich: true,
  },
  { pattern: /^meta\.llama/u, choices: ['auto'], reasoning: 'none' },
  { pattern: /^mistral\.mistral-large/u, choices: ['auto', 'any'], reasoning: 'none', callId: CALL_ID, schema: true },
  { pattern: /^mistral\.ministral-3/u, choices: [], reasoning: 'none', callId: CALL_ID, schema: true },
  { pattern: /^mistral\./u, choices: [], reasoning: 'none', callId: CALL_ID },
  { pattern: /^cohere\.command/u, choices: [], reasoning: 'none' },
  { pattern: /^deepseek\.r1/u, choices: [], reasoning: 'none', noTools: true },
  {
    pattern: /^deepseek\./u,
    choices: ['auto', 'any'],
    reasoning: 'open',
    schema: true,
    fields: ['reasoning_effort'],
  },
  { pattern: /^openai\.gpt-oss/u, choices: [], reasoning: 'none', noStops: true, fields: ['reasoning_effort'] },
  { pattern: /^openai\.gpt/u, choices: ALL, reasoning: 'sealed', noStops: true, minTokens: 16, fields: ['reasoning'] },
  { pattern: /^xai\.grok/u, choices: ALL, reasoning: 'none', noStops: true, minTokens: 16 },
  { pattern: /^zai\.glm-5\.3/u, choices: ALL, reasoning: 'none', schema: true },
  { pattern: /^zai\.glm/u, choices: ['auto', 'any'], reasoning: 'none', schema: true },
  { pattern: /^moonshotai\.kimi-k3/u, choices: [], reasoning: 'open', minTokens: 16 },
  { pattern: /^(?:moonshot(?:ai)?|minimax)\./u, choices: [], reasoning: 'open' },
  { pattern: /^qwen\./u, choices: [], reasoning: 'none', schema: true },
  { pattern: /^ai21\.jamba/u, choices: [], reasoning: 'none' },
  // The name of an application's profile, whatever is behind it.
  { pattern: /^[a-z0-9]{12}$/u, choices: [], reasoning: 'none' },
];

/** The maker's own id: behind a region's profile, or at the end of a resource name. */
export function plainModel(model: string): string {
  return model.slice(model.lastIndexOf('/') + 1).replace(/^(?:us|eu|apac|global|us-gov|au|jp|in)\./u, '');
}
