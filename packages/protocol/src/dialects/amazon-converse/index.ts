/** The converse API, which hosts speak for models of many makers. No caller of the gateway does. */
import { GatewayError } from '../../canonical/gateway-error.ts';
import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import type { HostDialect } from '../dialect.ts';
import { countIn, onlyMembers } from '../upstream-answers.ts';
import { answerLosses, decodeAnswer, eventDecoder } from './decode.ts';
import { ID } from './encode-blocks.ts';
import { encodeCall } from './encode-call.ts';
import { decodeFault, SEAL_REFUSALS } from './faults.ts';
import { type ConverseQuirks, familyOf } from './quirks.ts';
import { stances } from './stances.ts';

const COUNTED = ['messages', 'system', 'toolConfig', 'additionalModelRequestFields'] as const;

const NOT_COUNTED = { kind: 'unsupported', message: 'This model has no count of tokens at its host.' } as const;

export const amazonConverse: HostDialect = {
  id: ID,
  operation: 'text',
  argumentsAsValues: true,
  stances,
  quirks: (own): ConverseQuirks & JsonObject => ({ families: [], ...own }),
  client: {
    encodeCall,
    decodeAnswer,
    answerLosses,
    eventDecoder,
    decodeFault,
    count: {
      encode: (call, target) => {
        if (!familyOf(target).counts) throw new GatewayError(NOT_COUNTED);
        return { input: { converse: onlyMembers(encodeCall(call, target).body, COUNTED) } };
      },
      decode: (body) => countIn(isJsonObject(body) ? body['inputTokens'] : undefined),
    },
    needsBytes: ({ source }) => source.via === 'url',
    sealRefusals: SEAL_REFUSALS,
  },
};
