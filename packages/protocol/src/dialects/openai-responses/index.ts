/**
 * The Responses API, both halves. Stateless: a request contains everything it needs. Where the gateway stores answers,
 * it has replaced references before, and stores afterwards.
 */
import type { TextCall } from '../../canonical/call.ts';
import { isEffort } from '../../canonical/effort.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import type { Loss } from '../../canonical/loss.ts';
import { isGiven } from '../checking.ts';
import type { Dialect, PromptCaching, RequestHead, TargetFacts, Understanding } from '../dialect.ts';
import { countIn, onlyMembers } from '../upstream-answers.ts';
import { type CheckedResponses, checkResponses, wantsLogprobs } from './check.ts';
import { isTakenTool } from './check-tools.ts';
import { answerLosses } from './citations.ts';
import { decodeAnswer } from './decode-answer.ts';
import { decodeCall } from './decode-call.ts';
import { eventDecoder } from './decode-stream.ts';
import { encodeAnswer } from './encode-answer.ts';
import { encodeCall } from './encode-call.ts';
import { eventEncoder } from './encode-stream.ts';
import { decodeFault, encodeFault, streamFault } from './faults.ts';
import { HINT_FIELDS, isCanonicalField } from './known-fields.ts';
import { COMMON_RESPONSES } from './quirks.ts';
import { ECHOED } from './response-object.ts';
import { SEAL_REFUSALS } from './seals.ts';
import { spelling, stances } from './stances.ts';
import { unreadMembers } from './unread-members.ts';
import { readAnswer } from './verbatim-answer.ts';
import { verbatimFrames } from './verbatim-frames.ts';
import { verbatimRequest } from './verbatim-request.ts';

// How a body shows that its prompt may be cached.

const caching: PromptCaching = {
  prompt: ['tools', 'instructions', 'input'],
  groupMember: 'prompt_cache_key',
  longMark: /"prompt_cache_retention"\s*:\s*"24h"/,
};

// Token counting at a host: the members of a call that the counting path accepts, and its answer.

const COUNTED = ['model', 'input', 'instructions', 'tools', 'tool_choice', 'text', 'reasoning'] as const;

const hostCount = {
  encode: (call: TextCall, target: TargetFacts): JsonObject => onlyMembers(encodeCall(call, target).body, COUNTED),
  decode: (body: Json | undefined): number | undefined =>
    countIn(isJsonObject(body) ? body['input_tokens'] : undefined),
};

function understand(body: JsonObject, head?: RequestHead): Understanding {
  const checked = checkResponses(body, head?.sealing, head?.state !== undefined);
  const { wire, input } = checked;
  let call: TextCall | undefined;
  return {
    model: wire.model,
    stream: wire.stream === true,
    responseOptions: {
      usageInStream: true,
      withCost: false,
      hideReasoning: false,
      logprobs: wantsLogprobs(wire),
      ...(wire.parallel_tool_calls === false && { oneToolCall: true }),
      echo: echoOf(body, head),
    },
    losses: inboundLosses(checked, head?.state !== undefined),
    unreadMembers: () => unreadMembers(body),
    media: input.media,
    maxOutputTokens: wire.max_output_tokens ?? undefined,
    metadata: isJsonObject(wire.metadata) ? wire.metadata : undefined,
    ...(typeof body['user'] === 'string' && { user: body['user'] }),
    call: () => (call ??= decodeCall(checked, head?.sealing)),
    verbatim: (target) => verbatimRequest(checked, target),
  };
}

function echoOf(body: JsonObject, { state, previousId }: Pick<RequestHead, 'state' | 'previousId'> = {}): JsonObject {
  const echo: Record<string, Json> = {
    ...state,
    ...(previousId !== undefined && { previous_response_id: previousId }),
  };
  if (state !== undefined && body['store'] !== false) echo['store'] = true;
  if (state !== undefined && body['background'] === true) echo['background'] = true;
  for (const name of ECHOED) {
    const value = body[name];
    if (value === undefined || value === null) continue;
    echo[name] = name === 'tools' && isJsonArray(value) ? value.filter(isTakenTool) : value;
  }
  return echo;
}

function inboundLosses(
  { body, wire, input: { losses }, unknownTools }: CheckedResponses,
  isStateful: boolean,
): readonly Loss[] {
  if (unknownTools) losses.add('tools');
  for (const field of HINT_FIELDS) if (isGiven(body[field])) losses.add(field, 'not-forwarded');
  if (wire.store === true && !isStateful) losses.add('store', 'not-forwarded');
  const effort = wire.reasoning?.effort;
  if (typeof effort === 'string' && !isEffort(effort)) losses.add('reasoning.effort', 'approximated');
  return losses.all;
}

export const openaiResponses: Dialect = {
  id: 'openai-responses',
  operation: 'text',
  repeatsRequest: true,
  stances,
  quirks: (own) => ({ ...COMMON_RESPONSES, ...own }),
  server: {
    understand,
    encodeAnswer,
    eventEncoder,
    encodeFault,
    streamFault,
    keepAlive: () => ': ping\n\n',
    spelling,
    knows: isCanonicalField,
    caching,
    count: {
      understand: (body, head) => {
        const { model, call } = understand(body, head);
        return { model, call };
      },
      encode: (inputTokens) => ({ object: 'response.input_tokens', input_tokens: inputTokens }),
    },
    shorteners: ['truncation', 'context_management'],
  },
  client: {
    encodeCall,
    decodeAnswer,
    answerLosses,
    eventDecoder,
    decodeFault,
    sealRefusals: SEAL_REFUSALS,
    count: hostCount,
  },
  verbatim: { answer: readAnswer, frames: verbatimFrames },
};
