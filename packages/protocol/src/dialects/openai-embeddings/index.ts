/** Embeddings in the format of chat completions' home, both halves. */
import type { EmbedCall } from '../../canonical/embedding.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { estimateEmbedTokens } from '../../passes/estimate-tokens.ts';
import { isGiven } from '../checking.ts';
import { judgeDimensions, NO_TEXT_OPTIONS } from '../embedding-input.ts';
import type { EmbedDialect, EmbedUnderstanding } from '../media-dialects.ts';
import { decodeApiFault } from '../upstream-errors.ts';
import { decodeAnswer, encodeAnswer } from './answer.ts';
import { checkEmbeddings, decodeCall } from './check.ts';
import { encodeCall } from './encode-call.ts';
import { COMMON_EMBEDDINGS } from './quirks.ts';
import { spelling, stances } from './stances.ts';
import { readAnswer, verbatimRequest } from './verbatim.ts';

function understand(body: JsonObject): EmbedUnderstanding {
  const checked = checkEmbeddings(body);
  const { wire, inputs } = checked;
  let call: EmbedCall | undefined;
  return {
    model: wire.model,
    stream: false,
    responseOptions: {
      ...NO_TEXT_OPTIONS,
      embed: {
        encoding: wire.encoding_format ?? 'float',
        inputs: inputs.length,
        estimatedTokens: estimateEmbedTokens(inputs),
      },
    },
    losses: isGiven(wire.user) ? [{ path: 'user', why: 'not-forwarded' }] : [],
    media: [],
    maxOutputTokens: undefined,
    metadata: undefined,
    ...(typeof wire.user === 'string' && { user: wire.user }),
    judge: (model) => judgeDimensions(wire.dimensions ?? undefined, 'dimensions', model),
    call: () => (call ??= decodeCall(checked)),
    verbatim: (target) => verbatimRequest(checked, target),
  };
}

export const openaiEmbeddings: EmbedDialect = {
  id: 'openai-embeddings',
  operation: 'embed',
  stances,
  quirks: (own) => ({ ...COMMON_EMBEDDINGS, ...own }),
  server: { understand, encodeAnswer, spelling },
  client: { encodeCall, decodeAnswer, decodeFault: decodeApiFault, sealRefusals: [] },
  verbatim: { answer: readAnswer },
};
