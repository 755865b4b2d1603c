/** The messages API, both halves. */
import type { TextCall } from '../../canonical/call.ts';
import { isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import { type Loss, PathLosses } from '../../canonical/loss.ts';
import { isOnTheWeb } from '../../passes/data-url.ts';
import { isGiven } from '../checking.ts';
import type { Dialect, PromptCaching, RequestHead, TargetFacts, Understanding } from '../dialect.ts';
import { countIn, onlyMembers } from '../upstream-answers.ts';
import { type CheckedCall, checkCall, HINT_FIELDS, KNOWN_FIELDS } from './check.ts';
import { answerLosses } from './citations.ts';
import { decodeAnswer } from './decode-answer.ts';
import { decodeCall, wantsOneCall } from './decode-call.ts';
import { eventDecoder } from './decode-stream.ts';
import { encodeAnswer } from './encode-answer.ts';
import { encodeCall } from './encode-call.ts';
import { eventEncoder } from './encode-stream.ts';
import { decodeFault, encodeFault, streamFault } from './faults.ts';
import { COMMON_MESSAGES, quirksOf } from './quirks.ts';
import { SEAL_REFUSALS } from './seals.ts';
import { spelling, stances } from './stances.ts';
import { betasFor } from './tool-search.ts';
import { unreadMembers } from './unread-members.ts';
import { readAnswer } from './verbatim-answer.ts';
import { verbatimFrames } from './verbatim-frames.ts';
import { judge, verbatimRequest } from './verbatim-request.ts';

// How a body shows that its prompt may be cached.

const caching: PromptCaching = {
  prompt: ['tools', 'system', 'messages'],
  // Inside a string the quotes would be escaped: only a member of that name matches.
  mark: /"cache_control"\s*:/,
  longMark: /"ttl"\s*:\s*"1h"/,
};

// Token counting at a host: the members of a call that the counting path accepts, and its answer.

const COUNTED = ['messages', 'system', 'tools', 'tool_choice', 'thinking'] as const;

const hostCount = {
  /** Clouds name the model in the path of a call, but not of a count. */
  encode: (call: TextCall, target: TargetFacts): JsonObject => ({
    model: target.upstreamModel,
    ...onlyMembers(encodeCall(call, target).body, COUNTED),
  }),
  decode: (body: Json | undefined): number | undefined =>
    countIn(isJsonObject(body) ? body['input_tokens'] : undefined),
};

function understand(body: JsonObject, head?: RequestHead): Understanding {
  const checked = checkCall(body, head);
  let call: TextCall | undefined;
  const { betas } = checked.head;
  return {
    model: checked.model,
    stream: checked.stream,
    responseOptions: {
      usageInStream: true,
      withCost: false,
      hideReasoning: false,
      logprobs: false,
      ...(wantsOneCall(checked.toolChoice) && { oneToolCall: true }),
    },
    losses: inboundLosses(checked),
    ...(checked.head.unknownBetas === undefined && !checked.traits.toolReferences
      ? undefined
      : { lossesElsewhere: lossesElsewhere(checked) }),
    unreadMembers: (forSameDialect) => unreadMembers(body, forSameDialect),
    media: checked.media,
    maxOutputTokens: checked.maxTokens,
    metadata: isJsonObject(body['metadata']) ? body['metadata'] : undefined,
    ...(betas.length > 0 && { passHeaders: betaHeader(betas) }),
    ...((betas.length > 0 || checked.tools.length > 0) && passedTo(checked)),
    judge: (model) => judge(checked, model),
    call: () => (call ??= decodeCall(checked, head?.sealing)),
    verbatim: (target) => verbatimRequest(checked, target),
  };
}

const betaHeader = (betas: readonly string[]) => [['anthropic-beta', betas.join(',')] as const];

/** Hosts differ in the betas that they need, and in where they read them. */
const passedTo = (checked: CheckedCall): Pick<Understanding, 'passHeadersTo' | 'passMembers'> => ({
  passHeadersTo: (target) => {
    const quirks = quirksOf(target);
    if (quirks.toolSearchBeta === '') return undefined;
    const betas = betasFor(checked, quirks);
    return betas.length > 0 ? betaHeader(betas) : undefined;
  },
  passMembers: (target) => {
    const quirks = quirksOf(target);
    const betas = quirks.bodyBetas ? betasFor(checked, quirks) : [];
    return betas.length > 0 ? { anthropic_beta: betas } : {};
  },
});

function inboundLosses({ body, losses, unknownTools }: CheckedCall): readonly Loss[] {
  if (unknownTools) losses.add('tools');
  for (const field of HINT_FIELDS) if (isGiven(body[field])) losses.add(field, 'not-forwarded');
  return losses.all;
}

/** Unknown betas; and references to tools, which other dialects get as text, and all tools as ordinary ones. */
function lossesElsewhere({ head, traits }: CheckedCall): readonly Loss[] {
  const losses = new PathLosses();
  if (head.unknownBetas !== undefined) losses.add(head.unknownBetas);
  if (traits.toolReferences) losses.add('messages.content.tool_reference', 'approximated');
  return losses.all;
}

/** A token count has no output limit: any answer fits. */
const COUNTING_CAP = Number.MAX_SAFE_INTEGER;

/** A token-count request: the same body, without an output limit. */
const understandCount = (body: JsonObject, head?: RequestHead): Understanding =>
  understand({ ...body, max_tokens: COUNTING_CAP }, head);

export const anthropicMessages: Dialect = {
  id: 'anthropic-messages',
  operation: 'text',
  argumentsAsValues: true,
  stances,
  quirks: (own) => ({ ...COMMON_MESSAGES, ...own }),
  server: {
    understand,
    encodeAnswer,
    eventEncoder,
    encodeFault,
    streamFault,
    count: { understand: understandCount, encode: (inputTokens) => ({ input_tokens: inputTokens }) },
    keepAlive: () => 'event: ping\ndata: {"type":"ping"}\n\n',
    spelling,
    knows: (member) => KNOWN_FIELDS.has(member) || HINT_FIELDS.includes(member),
    caching,
    shorteners: ['context_management'],
    namesMatchedStop: true,
  },
  client: {
    encodeCall,
    count: hostCount,
    decodeAnswer,
    answerLosses,
    eventDecoder,
    decodeFault,
    needsBytes: ({ source }, target) => !quirksOf(target).fetchesUrls && source.via === 'url' && isOnTheWeb(source.url),
    sealRefusals: SEAL_REFUSALS,
  },
  verbatim: { answer: readAnswer, frames: verbatimFrames },
};
