/** Chat completions, both halves. */
import type { TextCall } from '../../canonical/call.ts';
import { isEffort } from '../../canonical/effort.ts';
import { isJsonArray, isJsonObject, type JsonObject } from '../../canonical/json.ts';
import type { Loss } from '../../canonical/loss.ts';
import { isGiven } from '../checking.ts';
import type { Dialect, PromptCaching, RequestHead, Understanding } from '../dialect.ts';
import { type CheckedChat, checkChat } from './check.ts';
import { answerLosses } from './citations.ts';
import { decodeAnswer } from './decode-answer.ts';
import { decodeCall, maxOutputTokensOf, wantsUsageInStream } from './decode-call.ts';
import { eventDecoder } from './decode-stream.ts';
import { encodeAnswer } from './encode-answer.ts';
import { encodeCall } from './encode-call.ts';
import { eventEncoder } from './encode-stream.ts';
import { decodeFault, encodeFault, streamFault } from './faults.ts';
import { HINT_FIELDS, KNOWN_FIELDS } from './known-fields.ts';
import { COMMON_CHAT, quirksOf } from './quirks.ts';
import { loseRouting, routingPreferences } from './routing-preferences.ts';
import { SEAL_REFUSALS } from './seals.ts';
import { spelling, stances } from './stances.ts';
import { unreadMembers } from './unread-members.ts';
import { readAnswer } from './verbatim-answer.ts';
import { verbatimFrames } from './verbatim-frames.ts';
import { verbatimRequest } from './verbatim-request.ts';

// How a body shows that its prompt may be cached.

const caching: PromptCaching = {
  prompt: ['tools', 'messages'],
  groupMember: 'prompt_cache_key',
  // Inside a string the quotes would be escaped: only a member of that name matches.
  mark: /"cache_control"\s*:/,
  longMark: /"ttl"\s*:\s*"1h"/,
};

function understand(body: JsonObject, head?: RequestHead): Understanding {
  const checked = checkChat(body, head?.sealing);
  const { wire, messages } = checked;
  let call: TextCall | undefined;
  return {
    model: wire.model,
    stream: wire.stream === true,
    responseOptions: {
      usageInStream: wantsUsageInStream(wire),
      withCost: wire.usage?.include === true,
      hideReasoning: wire.reasoning?.exclude === true,
      logprobs: wire.logprobs === true,
      ...(wire.parallel_tool_calls === false && { oneToolCall: true }),
    },
    losses: inboundLosses(checked),
    unreadMembers: () => unreadMembers(body),
    ...(isGiven(wire.reasoning?.effort) && !isGiven(wire.reasoning_effort) && { spelling: NESTED_EFFORT }),
    media: messages.media,
    maxOutputTokens: maxOutputTokensOf(wire),
    metadata: isJsonObject(wire.metadata) ? wire.metadata : undefined,
    ...(typeof body['user'] === 'string' && { user: body['user'] }),
    routing: routingPreferences(checked.routing, wire),
    call: () => (call ??= decodeCall(checked, head?.sealing)),
    verbatim: (target) => verbatimRequest(checked, target),
  };
}

/** A loss or refusal names the member that was sent. */
const NESTED_EFFORT = { 'reasoning.effort': 'reasoning.effort' } as const;

function inboundLosses({ body, wire, messages: { losses }, unknownTools, routing }: CheckedChat): readonly Loss[] {
  if (unknownTools) losses.add('tools');
  for (const field of HINT_FIELDS) {
    const value = body[field];
    // An empty list requests nothing.
    if (value !== undefined && isGiven(value) && !(isJsonArray(value) && value.length === 0))
      losses.add(field, 'not-forwarded');
  }
  loseRouting(routing, wire, losses);
  if (isGiven(wire.max_tokens) && isGiven(wire.max_completion_tokens)) losses.add('max_tokens', 'not-forwarded');
  if (typeof wire.reasoning_effort === 'string' && !isEffort(wire.reasoning_effort))
    losses.add('reasoning_effort', 'approximated');
  return losses.all;
}

export const openaiChat: Dialect = {
  id: 'openai-chat',
  operation: 'text',
  stances,
  quirks: (own) => ({ ...COMMON_CHAT, ...own }),
  server: {
    understand,
    encodeAnswer,
    eventEncoder,
    encodeFault,
    streamFault,
    keepAlive: () => ': ping\n\n',
    spelling,
    knows: (member) => KNOWN_FIELDS.has(member),
    caching,
  },
  client: {
    encodeCall,
    decodeAnswer,
    answerLosses,
    eventDecoder,
    decodeFault,
    needsBytes: ({ media }) => media !== 'image',
    reasoningBesideCap: (target) => quirksOf(target).reasoningBesideCap,
    sealRefusals: SEAL_REFUSALS,
  },
  verbatim: { answer: readAnswer, frames: verbatimFrames },
};
