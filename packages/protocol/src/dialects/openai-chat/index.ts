/** Chat completions, both halves. */
import type { TextCall } from '../../canonical/call.ts';
import { isEffort } from '../../canonical/effort.ts';
import { isJsonArray, isJsonObject, type JsonObject } from '../../canonical/json.ts';
import type { Loss } from '../../canonical/loss.ts';
import { isGiven } from '../checking.ts';
import type {
  Dialect,
  Edit,
  PromptCaching,
  RequestHead,
  TargetFacts,
  Understanding,
  VerbatimRequest,
} from '../dialect.ts';
import { adapt, stopsIn, takesStops } from './adapt.ts';
import { type CheckedChat, checkChat } from './check.ts';
import { answerLosses } from './citations.ts';
import { decodeAnswer } from './decode-answer.ts';
import { decodeCall, decodeReasoning, maxOutputTokensOf, wantsUsageInStream } from './decode-call.ts';
import { eventDecoder } from './decode-stream.ts';
import { encodeAnswer } from './encode-answer.ts';
import { encodeCall } from './encode-call.ts';
import { eventEncoder } from './encode-stream.ts';
import { decodeFault, encodeFault, streamFault } from './faults.ts';
import { HINT_FIELDS, KNOWN_FIELDS } from './known-fields.ts';
import { type ChatQuirks, COMMON_CHAT, quirksOf } from './quirks.ts';
import { loseRouting, routingPreferences } from './routing-preferences.ts';
import { SEAL_REFUSALS } from './seals.ts';
import { spelling, stances } from './stances.ts';
import { tidied } from './tidy.ts';
import { unreadMembers } from './unread-members.ts';
import { readAnswer } from './verbatim-answer.ts';
import { verbatimFrames } from './verbatim-frames.ts';

// Same dialect on both ends: the edits to the caller's text, or the reason to rebuild the request instead.

function verbatimRequest(checked: CheckedChat, target: TargetFacts): VerbatimRequest {
  const { wire, body } = checked;
  const why = takesStops(stopsIn(body['stop']), target)
    ? whyRebuild(checked, quirksOf(target))
    : 'the gateway looks for the stop sequences itself';
  if (why !== undefined) return { why };
  const facts = {
    stream: wire.stream === true,
    reasoning: decodeReasoning(wire),
    maxOutputTokens: maxOutputTokensOf(wire),
  };
  const { set, rename, losses } = adapt(body, facts, target);
  const edits: Edit[] = [];
  for (const [name, value] of set) edits.push({ name, value: value === undefined ? undefined : JSON.stringify(value) });
  for (const [name, renameTo] of rename) edits.push({ name, renameTo });
  for (const [name, value] of tidied(body)) if (!set.has(name)) edits.push({ name, value: JSON.stringify(value) });
  return { edits, losses };
}

/** Changes inside messages or tools cannot be made by editing top-level members. */
function whyRebuild(
  { messages, tools, unknownTools, responseFormat }: CheckedChat,
  quirks: ChatQuirks,
): string | undefined {
  const { traits } = messages;
  if (unknownTools) return 'it declares tools of unknown types';
  if (traits.legacyFunctions) return 'functions of the old form become tools';
  if (traits.names && !quirks.messageNames) return 'the host takes no names on messages';
  if (traits.developer && quirks.systemRole === 'system') return 'the host takes no developer messages';
  if (traits.systemMessages > 0 && quirks.systemRole === 'developer') return 'the host wants developer messages';
  if (traits.systemMessages > 1 && !quirks.multipleSystem) return 'the host takes one system message';
  if (traits.reasoning && quirks.reasoningReplay === 'forbidden') return 'the host refuses earlier reasoning';
  if (traits.unthoughtCalls && quirks.reasoningReplay === 'required') return 'the host wants reasoning beside calls';
  if (traits.envelopes) return 'a seal has to be taken out of its envelope';
  if (traits.sealedReasoning && !quirks.reasoningRead.includes('reasoning_details'))
    return 'the host cannot have sealed this reasoning';
  if ((traits.customCalls || tools.some((tool) => tool.type === 'custom')) && !quirks.customTools)
    return 'the host has no custom tools';
  if (
    !quirks.strictTools &&
    tools.some((tool) => tool.type === 'function' && typeof tool.function.strict === 'boolean')
  )
    return 'the host has no strict tools';
  if (responseFormat?.type === 'json_schema' && quirks.jsonMode !== 'schema') return 'the host has no schemas';
  if (responseFormat?.type === 'json_object' && quirks.jsonMode === 'none') return 'the host has no JSON mode';
  if (traits.longCallIds) return 'a tool call id is too long';
  if (traits.unanswered) return 'a tool call has no result';
  if (quirks.toolCallIdLength > 0 && traits.toolResults) return 'the host wants tool call ids of its own form';
  if (quirks.reasoningRead.includes('thinking-parts')) return 'the host answers in parts';
  return undefined;
}

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
