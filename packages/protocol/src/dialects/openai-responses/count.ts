/** Token counting at a host: the members of a call that the counting path accepts, and its answer. */
import type { TextCall } from '../../canonical/call.ts';
import { isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import type { TargetFacts } from '../dialect.ts';
import { countIn, onlyMembers } from '../upstream-count.ts';
import { encodeCall } from './encode-call.ts';

const COUNTED = ['model', 'input', 'instructions', 'tools', 'tool_choice', 'text', 'reasoning'] as const;

export const hostCount = {
  encode: (call: TextCall, target: TargetFacts): JsonObject => onlyMembers(encodeCall(call, target).body, COUNTED),
  decode: (body: Json | undefined): number | undefined =>
    countIn(isJsonObject(body) ? body['input_tokens'] : undefined),
};
