/** How the gateway handles members of this format, including hosts' extensions, that change the price of a request. */
import type { MoneyTable } from '../checking.ts';

export const MONEY_MEMBERS: MoneyTable = {
  service_tier: 'removed',
  // Other models may answer, at their own prices.
  models: 'removed',
  route: 'removed',
  fallbacks: 'removed',
  plugins: 'removed',
  search_parameters: 'removed',
  speed: 'removed',
  priority: 'removed',
  // Model, prompt and settings stored in an account that the caller does not own.
  preset: 'refused',
  // A longer cache lifetime, or cache warming without an answer.
  prompt_cache_options: 'removed',
  // Models and terms of the operator's account, not of the caller's.
  access_programs: 'removed',
  // `usage` includes compaction.
  context_management: 'priced',
  // Searches are metered by their items, tokens by `usage`.
  max_tool_calls: 'priced',
};
