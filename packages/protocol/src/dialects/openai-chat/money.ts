/** What becomes of members of this format, as its hosts extend it, that change the price of a request. */
import type { MoneyTable } from '../checking.ts';

export const MONEY_MEMBERS: MoneyTable = {
  service_tier: 'removed',
  // Predicted tokens that are not used are charged all the same.
  prediction: 'removed',
  // Other models may answer, at their own prices. A list of them (`models`) is tried by the gateway itself.
  route: 'removed',
  fallbacks: 'removed',
  // Searches and file parsers by the piece.
  plugins: 'removed',
  search_parameters: 'removed',
  enable_search: 'removed',
  search_options: 'removed',
  web_search: 'removed',
  // A dearer or cheaper service of the same model.
  speed: 'removed',
  priority: 'removed',
  // Model, prompt and settings of an account that the caller does not own.
  preset: 'refused',
  // Searches are counted where the host says how many it made, and refused where it has none.
  web_search_options: 'priced',
  prompt_cache_retention: 'removed',
  // A longer life of what is cached, or a cache warmed for nothing.
  prompt_cache_options: 'removed',
};
