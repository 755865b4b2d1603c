/** The top-level fields of a chat request that the gateway knows, and its handling of those it does not forward. */
import { membersWith } from '../checking.ts';
import { MONEY_MEMBERS } from './money.ts';
import { ChatCallWire } from './wire.ts';

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
