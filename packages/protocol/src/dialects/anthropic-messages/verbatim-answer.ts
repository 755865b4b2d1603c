/**
 * The complete list of changes to a messages upstream's answer, whole or streamed:
 *
 *   id, model                    the gateway's own                              every answer, message_start    [MR-01] [MR-03] [MS-06]
 *   type, role                   completed                                      every answer, message_start    [MR-02]
 *   stop_reason                  one of the six, tool_use after tool calls      the finish                     [MR-12] [MR-15] [MS-15]
 *   stop_sequence                null unless it stopped the answer              the finish                     [MR-16]
 *   usage                        every counter there, sums that hold            every answer                   [MR-17] [MR-18] [MR-19] [MR-21] [MR-22]
 *   usage.output_tokens          0                                              message_start                  [MS-07]
 *   usage                        inside `delta` and beside it                   message_delta                  [MS-16] [MS-17]
 *   content, both stops          empty, null                                    message_start                  [MS-06]
 *   content_block                shells complete                                thinking blocks                [MS-08]
 *   an empty delta               added where the host sent none                 before content_block_stop      [MS-04]
 *   a signature                  added where the host sent none                 before content_block_stop      [MS-12]
 *   anything but type and index  left out                                       *_stop                         [MS-14] [MS-18]
 *   event:                       added where the host left it out               every frame                    [MS-02]
 *   opaque state                 in envelopes unless the host is the home       wherever it stands             [M-52] [M-56]
 *   tool calls after the first   left out, when one was asked for               blocks                         [M-19]
 *   error                        the gateway's own                              a failing stream               [MS-19] [MS-21]
 *
 * Anything else passes as it came.
 */
import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import type { Loss } from '../../canonical/loss.ts';
import type { SealKind, SealOwner } from '../../canonical/sealed.ts';
import type { Usage } from '../../canonical/usage.ts';
import type { AnswerContext, Edit, Reading, Sealing, TargetFacts } from '../dialect.ts';
import { openAnswer } from './decode-answer.ts';
import { mapEncrypted } from './decode-blocks.ts';
import { messageId } from './encode-answer.ts';
import { tidyFinish } from './finish.ts';
import { isHome } from './seals.ts';
import { readUsage, writeUsage } from './usage.ts';

export const headMembers = (context: AnswerContext): JsonObject => ({
  id: messageId(context.requestId),
  type: 'message',
  role: 'assistant',
  model: context.model,
});

export function readAnswer(body: Json, context: AnswerContext, target: TargetFacts): Reading {
  const { wire, raw } = openAnswer(body);
  const content = arrayAt(wire, 'content');
  const tidied = tidyContent(content, context, envelopesFor(target.sealOwner, context.sealing));
  const toolCall = tidied.some((block) => isJsonObject(block) && block['type'] === 'tool_use');
  const stopReason = tidyFinish(raw, { toolCall });
  const stopSequence = stopReason === 'stop_sequence' ? (wire['stop_sequence'] ?? null) : null;
  const usageWire = objectAt(wire, 'usage') ?? {};
  const wanted: JsonObject = {
    ...headMembers(context),
    ...(tidied !== content && { content: tidied }),
    stop_reason: stopReason,
    stop_sequence: stopSequence,
  };
  const edits: Edit[] = Object.entries(wanted)
    .filter(([name, value]) => wire[name] !== value)
    .map(([name, value]) => ({ name, value: JSON.stringify(value) }));
  const usage = completeUsage(usageWire);
  if (usage !== usageWire) edits.push({ name: 'usage', value: JSON.stringify(usage) });
  const read = readUsage(usageWire);
  return {
    patch: { kind: 'pass', edits },
    ...(Object.keys(read).length > 0 && { usage: read }),
    ...(context.responseOptions.oneToolCall === true && callsIn(tidied) < callsIn(content) && { losses: SECOND_CALL }),
  };
}

/** The same object if every counter is there and the sums are right. */
export function completeUsage(wire: JsonObject, counted: Usage = readUsage(wire)): JsonObject {
  const full = writeUsage(counted);
  const tier = stringAt(wire, 'service_tier') ?? '';
  const completed: JsonObject = {
    ...wire,
    ...full,
    cache_creation: { ...objectAt(wire, 'cache_creation'), ...objectAt(full, 'cache_creation') },
    server_tool_use: { ...objectAt(wire, 'server_tool_use'), ...objectAt(full, 'server_tool_use') },
    ...(tier !== '' && { service_tier: tier }),
  };
  return JSON.stringify(completed) === JSON.stringify(wire) ? wire : completed;
}

export type WrapSeal = (data: string, kind: SealKind) => string;

/** Undefined if opaque state is sent unchanged. If it cannot be wrapped, it is not sent. */
export const envelopesFor = (owner: SealOwner, sealing: Sealing | undefined): WrapSeal | undefined =>
  isHome(owner) ? undefined : (data, kind) => (data === '' ? '' : (sealing?.wrap({ owner, kind, data }) ?? ''));

/** A tool call beyond the one that was allowed. */
export const SECOND_CALL: readonly Loss[] = [{ path: 'content.tool_use', why: 'no-equivalent' }];

const callsIn = (content: readonly Json[]): number =>
  content.filter((block) => isJsonObject(block) && block['type'] === 'tool_use').length;

function tidyContent(
  content: readonly Json[],
  context: AnswerContext,
  envelope: WrapSeal | undefined,
): readonly Json[] {
  let toolCalls = 0;
  let tidied = content;
  if (envelope !== undefined)
    tidied = tidied.flatMap((block) => (isJsonObject(block) ? (enveloped(block, envelope) ?? []) : [block]));
  if (context.responseOptions.oneToolCall !== true) return tidied;
  const kept = tidied.filter((block) => !isJsonObject(block) || block['type'] !== 'tool_use' || ++toolCalls === 1);
  return kept.length === tidied.length ? tidied : kept;
}

/** A block with its opaque state in envelopes; undefined if nothing of it may be sent. */
export function enveloped(block: JsonObject, envelope: WrapSeal): JsonObject | undefined {
  switch (block['type']) {
    case 'thinking':
      return { ...block, signature: envelope(stringAt(block, 'signature') ?? '', 'signature') };
    case 'redacted_thinking': {
      const data = envelope(stringAt(block, 'data') ?? '', 'sealed');
      return data === '' ? undefined : { ...block, data };
    }
    case 'web_search_tool_result':
      return { ...block, content: mapEncrypted(block['content'] ?? null, (text) => envelope(text, 'cite')) };
    case 'text': {
      const citations = block['citations'];
      if (!Array.isArray(citations) || citations.length === 0) return block;
      return { ...block, citations: citations.map((citation) => envelopedCitation(citation, envelope)) };
    }
    default:
      return block;
  }
}

export function envelopedCitation(citation: Json, envelope: WrapSeal): Json {
  const index = isJsonObject(citation) ? stringAt(citation, 'encrypted_index') : undefined;
  return index === undefined || !isJsonObject(citation)
    ? citation
    : { ...citation, encrypted_index: envelope(index, 'cite') };
}
