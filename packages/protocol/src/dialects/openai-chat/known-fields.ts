/** Which top-level fields of a chat request we know, and what the gateway does with those no upstream is shown. */
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
  // Prompts are never shortened here.
  'transforms',
  ...membersWith(MONEY_MEMBERS, 'removed'),
];

/** Wishes the gateway itself carries out. */
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
