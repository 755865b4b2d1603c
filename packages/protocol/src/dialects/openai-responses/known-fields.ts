/** Which top-level fields of a Responses request we know, and what the gateway does with those no upstream is shown. */
import { membersWith } from '../checking.ts';
import { MONEY_MEMBERS } from './money.ts';
import { ResponsesCallWire } from './wire.ts';

/** Hints: accepted so that existing callers keep working, never forwarded, always reported. */
export const HINT_FIELDS: readonly string[] = ['user', ...membersWith(MONEY_MEMBERS, 'removed'), 'safety_identifier'];

/** State this service does not keep, or work it does not do in the background: leaving it out would change the answer. */
export const REFUSED_FIELDS = ['previous_response_id', 'conversation', 'prompt'] as const;

/** Known by name and understood by upstreams of this dialect only. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['max_tool_calls', 'truncation']);

const CANONICAL_FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(ResponsesCallWire.properties).filter((name) => !OWN_FIELDS.has(name)),
  ...HINT_FIELDS,
  ...REFUSED_FIELDS,
]);

/** Has this member a place in the canonical call, or none at all? Everything else rides along for its own dialect. */
export const isCanonicalField = (name: string): boolean => CANONICAL_FIELDS.has(name);

/** What the gateway itself decides, whatever the caller says. */
export const ENCRYPTED_REASONING = 'reasoning.encrypted_content';
export const LOGPROBS = 'message.output_text.logprobs';
