/** Generative content (`generateContent`, `streamGenerateContent`), both halves. */
import type { TextCall } from '../../canonical/call.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { numberAt, objectAt } from '../../canonical/json.ts';
import type { Dialect, RequestHead, Understanding } from '../dialect.ts';
import { caching } from './caching.ts';
import { checkGenerate, isRootMember } from './check.ts';
import { answerLosses } from './citations.ts';
import { hostCount } from './count.ts';
import { decodeAnswer } from './decode-answer.ts';
import { decodeCall, enumValuesOf } from './decode-call.ts';
import { eventDecoder } from './decode-stream.ts';
import { encodeAnswer } from './encode-answer.ts';
import { encodeCall } from './encode-call.ts';
import { eventEncoder, keepAlive } from './encode-stream.ts';
import { decodeFault, encodeFault, streamFault } from './faults.ts';
import { judge } from './judge.ts';
import { needsBytes } from './needs-bytes.ts';
import { COMMON_GENERATE } from './quirks.ts';
import { SEAL_REFUSALS } from './seals.ts';
import { spelling, stances } from './stances.ts';
import { unreadMembers } from './unread-members.ts';
import { readAnswer } from './verbatim-answer.ts';
import { verbatimFrames } from './verbatim-frames.ts';
import { verbatimRequest } from './verbatim-request.ts';

function understand(body: JsonObject, head?: RequestHead): Understanding {
  const checked = checkGenerate(body, head);
  const { config } = checked;
  const enumValues = enumValuesOf(config);
  let call: TextCall | undefined;
  return {
    model: checked.model,
    stream: checked.stream,
    responseOptions: {
      usageInStream: true,
      withCost: false,
      hideReasoning: objectAt(config, 'thinkingConfig')?.['includeThoughts'] !== true,
      logprobs: config['responseLogprobs'] === true,
      bareEnums: head?.bareEnums === true,
      ...((numberAt(config, 'candidateCount') ?? 1) > 1 && { severalCandidates: true }),
      ...(enumValues !== undefined && { enumValues }),
    },
    losses: checked.losses,
    unreadMembers: (forSameDialect) => unreadMembers(checked.body, config, forSameDialect),
    media: checked.traits.media,
    maxOutputTokens: numberAt(config, 'maxOutputTokens'),
    metadata: checked.labels,
    judge: (model) => judge(checked, model),
    call: () => (call ??= decodeCall(checked)),
    verbatim: (target) => verbatimRequest(checked, target),
  };
}

const encodeCount = (inputTokens: number): JsonObject => ({
  totalTokens: inputTokens,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: inputTokens }],
});

/** The counted request may also be nested in one member, with the model's name. */
const understandCount = (body: JsonObject, head?: RequestHead): Understanding => {
  const inner = objectAt(body, 'generateContentRequest') ?? objectAt(body, 'generate_content_request');
  const { model: _, ...request } = inner ?? body;
  return understand(inner === undefined ? body : request, head);
};

export const googleGenerate: Dialect = {
  id: 'google-generate',
  operation: 'text',
  argumentsAsValues: true,
  escapesLineBreakers: true,
  stances,
  quirks: (own) => ({ ...COMMON_GENERATE, ...own }),
  server: {
    understand,
    encodeAnswer,
    eventEncoder,
    encodeFault,
    streamFault,
    count: { understand: understandCount, encode: encodeCount },
    keepAlive,
    spelling,
    knows: isRootMember,
    caching,
  },
  client: {
    encodeCall,
    count: hostCount,
    decodeAnswer,
    eventDecoder,
    answerLosses,
    decodeFault,
    needsBytes,
    sealRefusals: SEAL_REFUSALS,
  },
  verbatim: { answer: readAnswer, frames: verbatimFrames },
};
