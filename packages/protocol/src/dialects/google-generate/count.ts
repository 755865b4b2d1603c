/** Counting at a host: the whole request inside one member, so that instructions and tools are counted, and its answer. */
import type { TextCall } from '../../canonical/call.ts';
import { isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import type { TargetFacts } from '../dialect.ts';
import { countIn } from '../upstream-count.ts';
import { encodeCall } from './encode-call.ts';

export const hostCount = {
  encode: (call: TextCall, target: TargetFacts): JsonObject => ({
    generateContentRequest: { model: `models/${target.upstreamModel}`, ...encodeCall(call, target).body },
  }),
  decode: (body: Json | undefined): number | undefined => countIn(isJsonObject(body) ? body['totalTokens'] : undefined),
};
