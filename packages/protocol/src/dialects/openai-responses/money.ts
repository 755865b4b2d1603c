/** What becomes of members of this format, as its hosts extend it, that change the price of a request. */
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
  // Model, prompt and settings of an account that the caller does not own.
  preset: 'refused',
  // A longer life of what is cached, or a cache warmed for nothing.
  prompt_cache_options: 'removed',
  // Models and terms that the operator's account has, not the caller's.
  access_programs: 'removed',
  // What is compacted is counted in `usage`.
  context_management: 'priced',
  // Searches are counted by their items, tokens by `usage`.
  max_tool_calls: 'priced',
};
