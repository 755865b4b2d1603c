/** How the gateway handles members, betas and tools of this format that change the price of a request. */
import type { MoneyPatterns, MoneyTable } from '../checking.ts';

export const MONEY_MEMBERS: MoneyTable = {
  // `usage.iterations` lists every pass, and is metered.
  context_management: 'priced',
  // The answer is the summary, and its usage is the cost of that.
  compaction: 'priced',
  service_tier: 'removed',
  // A faster and more expensive service tier of the same model.
  speed: 'removed',
  // Another model answers, at its own price.
  fallbacks: 'removed',
  // A credit of the operator's account, issued for a refused request of any caller.
  fallback_credit_token: 'removed',
  // A surcharge, and a promise about the region that dropping it would break.
  inference_geo: 'refused',
  // Charged by the hour.
  container: 'refused',
  // Input that is charged without being sent; also, one account of the operator holds the threads of all callers.
  // Refused with the code after which clients send the whole conversation.
  thread: 'refused',
};

/** Values of the above that cost nothing extra. */
export const USUAL_VALUES = { inference_geo: 'global' } as const;

export const MONEY_BETAS: MoneyPatterns = [
  [/^fast-mode-/, 'removed'],
  [/^(server-side-)?fallback/, 'removed'],
  [/^advisor-tool-/, 'removed'],
  [/^code-execution-2025-08-25$/, 'refused'],
  // Priced by the prompt size, the cache lifetime, the tokens of every pass.
  [/^(context-1m|extended-cache-ttl|compact|context-management|output-)/, 'priced'],
];

export const MONEY_TOOLS: MoneyPatterns = [
  // Calls another model, at its own price.
  [/^advisor_/, 'refused'],
  [/^code_execution_/, 'refused'],
  [/^web_search_/, 'priced'],
  // Free of charge: the fetched content is input.
  [/^(web_fetch|tool_search_tool|memory)_/, 'priced'],
];
