/** Which top-level fields of a chat request we know, and what the gateway does with those no upstream is shown. */
import { ChatCallWire } from './wire.ts';

/** Hints: accepted so that existing callers keep working, never forwarded, always reported. */
export const HINT_FIELDS = [
  'seed',
  'user',
  'store',
  'service_tier',
  'prediction',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
] as const;

/** Wishes the gateway itself carries out. */
export const CONSUMED_FIELDS = ['provider', 'model_routing_config', 'usage', 'metadata', 'modalities'] as const;

export const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(ChatCallWire.properties),
  ...HINT_FIELDS,
  'audio',
  'functions',
  'function_call',
]);
