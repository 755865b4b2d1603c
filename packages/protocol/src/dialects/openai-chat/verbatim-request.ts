/** Same dialect on both ends: the edits to the caller's text, or the reason to rebuild the request instead. */
import type { Edit, TargetFacts, VerbatimRequest } from '../dialect.ts';
import { adapt, stopsIn, takesStops } from './adapt.ts';
import type { CheckedChat } from './check.ts';
import { decodeReasoning, maxOutputTokensOf } from './decode-call.ts';
import { type ChatQuirks, quirksOf } from './quirks.ts';
import { tidied } from './tidy.ts';

export function verbatimRequest(checked: CheckedChat, target: TargetFacts): VerbatimRequest {
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
