/** Counting at a host: the members of a call that the counting path takes, and its answer. */
import type { TextCall } from '../../canonical/call.ts';
import { isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import type { TargetFacts } from '../dialect.ts';
import { countIn } from '../upstream-count.ts';
import { encodeCall } from './encode-call.ts';

const COUNTED = ['model', 'messages', 'system', 'tools', 'tool_choice', 'thinking'] as const;

export const hostCount = {
  encode(call: TextCall, target: TargetFacts): JsonObject {
    const { body } = encodeCall(call, target);
    return Object.fromEntries(COUNTED.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])));
  },
  decode: (body: Json | undefined): number | undefined =>
    countIn(isJsonObject(body) ? body['input_tokens'] : undefined),
};
