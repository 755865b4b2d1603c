/** What becomes of members, betas and tools of this format that change the price of a request. */
import type { MoneyPatterns, MoneyTable } from '../checking.ts';

export const MONEY_MEMBERS: MoneyTable = {
  // Every pass is listed in `usage.iterations`, and metered by it.
  context_management: 'priced',
  // The answer is the summary, and its usage what that cost.
  compaction: 'priced',
  service_tier: 'removed',
  // A dearer, faster service of the same model.
  speed: 'removed',
  // Another model answers, at its own price.
  fallbacks: 'removed',
  // A credit of the operator's account, given for a request of whichever caller was refused.
  fallback_credit_token: 'removed',
  // A surcharge, and a promise about the place that leaving it out would break.
  inference_geo: 'refused',
  // Charged by the hour.
  container: 'refused',
  // Input that is not sent and charged all the same; and one account of the operator holds the threads of all callers.
  thread: 'refused',
};

/** Values of the above that cost what every request costs. */
export const USUAL_VALUES = { inference_geo: 'global' } as const;

export const MONEY_BETAS: MoneyPatterns = [
  [/^fast-mode-/, 'removed'],
  [/^(server-side-)?fallback/, 'removed'],
  [/^advisor-tool-/, 'removed'],
  [/^code-execution-2025-08-25$/, 'refused'],
  // Priced by the size of the prompt, the age of the cache, the tokens of every pass.
  [/^(context-1m|extended-cache-ttl|compact|context-management|output-)/, 'priced'],
];

export const MONEY_TOOLS: MoneyPatterns = [
  // Asks another model, at its own price.
  [/^advisor_/, 'refused'],
  [/^code_execution_/, 'refused'],
  [/^web_search_/, 'priced'],
  // Free of charge: what it fetches is input.
  [/^(web_fetch|tool_search_tool|memory)_/, 'priced'],
];
