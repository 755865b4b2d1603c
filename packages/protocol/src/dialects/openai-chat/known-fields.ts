/** The top-level fields of a chat request that the gateway knows, and its handling of those it does not forward. */
import { type MoneyTable, membersWith } from '../checking.ts';
import { ChatCallWire } from './wire.ts';

// How the gateway handles members of this format, including hosts' extensions, that change the price of a request.

export const MONEY_MEMBERS: MoneyTable = {
  service_tier: 'removed',
  // Rejected predicted tokens are charged, too.
  prediction: 'removed',
  // Other models may answer, at their own prices. The gateway itself tries the models of a list (`models`).
  route: 'removed',
  fallbacks: 'removed',
  // Searches and file parsers, charged per use.
  plugins: 'removed',
  search_parameters: 'removed',
  enable_search: 'removed',
  search_options: 'removed',
  web_search: 'removed',
  // A more expensive or a cheaper service tier of the same model.
  speed: 'removed',
  priority: 'removed',
  // Model, prompt and settings stored in an account that the caller does not own.
  preset: 'refused',
  // Searches are metered if the host reports their number, and refused if it has no search.
  web_search_options: 'priced',
  prompt_cache_retention: 'removed',
  // A longer cache lifetime, or cache warming without an answer.
  prompt_cache_options: 'removed',
};

/** Hints: accepted so that existing callers keep working, never forwarded, always reported. */
export const HINT_FIELDS: readonly string[] = [
  'seed',
  'user',
  'store',
  'prompt_cache_key',
  'safety_identifier',
  // The gateway never shortens prompts.
  'transforms',
  ...membersWith(MONEY_MEMBERS, 'removed'),
];

/** Options that the gateway itself carries out. */
export const CONSUMED_FIELDS = [
  'provider',
  'model_routing_config',
  'models',
  'usage',
  'metadata',
  'modalities',
] as const;

export const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(ChatCallWire.properties),
  ...HINT_FIELDS,
  'audio',
  'functions',
  'function_call',
]);
