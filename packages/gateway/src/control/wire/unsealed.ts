/**
 * A captured body without sealed state: what a provider sealed is for that provider and that conversation, and is not
 * sent again.
 */
import { isJsonObject, type Json, type JsonObject } from '@trivium/protocol/canonical';
import { ENVELOPE_START } from '../../calls/seals/envelopes.ts';

export type Unsealed = { readonly body: JsonObject; readonly removed: number };

/** Members that contain only sealed state, wherever they occur. */
const SEALED_MEMBERS: ReadonlySet<string> = new Set([
  'encrypted_content',
  'reasoning_details',
  'thoughtSignature',
  'thought_signature',
]);
/** Parts of a turn that are useless without their seal. */
const SEALED_TYPES: ReadonlySet<Json | undefined> = new Set([
  'thinking',
  'redacted_thinking',
  'reasoning',
  'compaction',
]);
/** Members with callers' and models' own content: the same names mean nothing inside. */
const OWN_WORDS: ReadonlySet<string> = new Set(['tools', 'args', 'response', 'parameters', 'schema', 'input_schema']);

export function unsealed(body: JsonObject): Unsealed {
  let removed = 0;

  const isSealed = (value: Json): boolean =>
    typeof value === 'string'
      ? value.startsWith(ENVELOPE_START)
      : isJsonObject(value) && SEALED_TYPES.has(value['type']) && hasSeal(value);

  const clean = (value: Json): Json => {
    if (Array.isArray(value))
      return value.flatMap((element: Json) => {
        if (!isSealed(element)) return [clean(element)];
        removed++;
        return [];
      });
    return isJsonObject(value) ? cleanObject(value) : value;
  };

  const cleanObject = (object: JsonObject): JsonObject => {
    const kept: Record<string, Json> = {};
    for (const [name, value] of Object.entries(object)) {
      const isOwn = OWN_WORDS.has(name) || (name === 'input' && object['type'] === 'tool_use');
      if (isOwn) kept[name] = value;
      else if (SEALED_MEMBERS.has(name) || (typeof value === 'string' && isSealed(value))) removed++;
      else kept[name] = clean(value);
    }
    return kept;
  };

  return { body: cleanObject(body), removed };
}

const hasSeal = (part: JsonObject): boolean =>
  ['signature', 'data', 'encrypted_content'].some((name) => typeof part[name] === 'string');
