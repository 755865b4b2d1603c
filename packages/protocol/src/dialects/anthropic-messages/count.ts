/** Token counting at a host: the members of a call that the counting path accepts, and its answer. */
import type { TextCall } from '../../canonical/call.ts';
import { isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import type { TargetFacts } from '../dialect.ts';
import { countIn, onlyMembers } from '../upstream-count.ts';
import { encodeCall } from './encode-call.ts';

const COUNTED = ['messages', 'system', 'tools', 'tool_choice', 'thinking'] as const;

export const hostCount = {
  /** Clouds name the model in the path of a call, but not of a count. */
  encode: (call: TextCall, target: TargetFacts): JsonObject => ({
    model: target.upstreamModel,
    ...onlyMembers(encodeCall(call, target).body, COUNTED),
  }),
  decode: (body: Json | undefined): number | undefined =>
    countIn(isJsonObject(body) ? body['input_tokens'] : undefined),
};
