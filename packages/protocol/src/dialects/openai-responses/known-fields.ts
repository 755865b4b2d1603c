/**
 * The top-level fields of a Responses request that the gateway knows, and its handling of those it does not forward.
 */
import { type MoneyTable, membersWith } from '../checking.ts';
import { ResponsesCallWire } from './wire.ts';

// How the gateway handles members of this format, including hosts' extensions, that change the price of a request.

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

/** Hints: accepted so that existing callers keep working, never forwarded, always reported. */
export const HINT_FIELDS: readonly string[] = ['user', ...membersWith(MONEY_MEMBERS, 'removed'), 'safety_identifier'];

/** State this service does not keep, or background work it does not do: dropping these would change the answer. */
export const REFUSED_FIELDS = ['previous_response_id', 'conversation', 'prompt'] as const;

/** Known by name and understood by upstreams of this dialect only. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['max_tool_calls', 'truncation']);

const CANONICAL_FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(ResponsesCallWire.properties).filter((name) => !OWN_FIELDS.has(name)),
  ...HINT_FIELDS,
  ...REFUSED_FIELDS,
]);

/** Is this member part of the canonical call, or never forwarded? All others are kept for their own dialect. */
export const isCanonicalField = (name: string): boolean => CANONICAL_FIELDS.has(name);

/** The value of `include` that the gateway itself adds or removes, whatever the caller requests. */
export const ENCRYPTED_REASONING = 'reasoning.encrypted_content';
export const LOGPROBS = 'message.output_text.logprobs';
