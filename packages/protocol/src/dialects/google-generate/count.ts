/**
 * Token counting at a host: the whole request in one member, so that instructions and tools are counted, and its
 * answer. The cloud edition has no such member and takes the counted members next to `contents`.
 */
import type { TextCall } from '../../canonical/call.ts';
import { isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import type { TargetFacts } from '../dialect.ts';
import { countIn, onlyMembers } from '../upstream-count.ts';
import { encodeCall } from './encode-call.ts';
import { quirksOf } from './quirks.ts';

const COUNTED_BY_CLOUD = ['contents', 'systemInstruction', 'tools', 'generationConfig'] as const;

export const hostCount = {
  encode(call: TextCall, target: TargetFacts): JsonObject {
    const { body } = encodeCall(call, target);
    if (!quirksOf(target).countsWholeCall) return onlyMembers(body, COUNTED_BY_CLOUD);
    return { generateContentRequest: { model: `models/${target.upstreamModel}`, ...body } };
  },
  decode: (body: Json | undefined): number | undefined => countIn(isJsonObject(body) ? body['totalTokens'] : undefined),
};
