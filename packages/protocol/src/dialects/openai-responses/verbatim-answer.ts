/**
 * The complete list of changes to a Responses upstream's answer, whole or streamed:
 *
 *   id, created_at, model        the gateway's own                        every response object      
 *   store, background            whether it is stored, or made, here      every response object      
 *   previous_response_id, conversation  what the caller named             every response object      
 *   metadata                     the caller's, which no upstream is shown every response object      
 *   encrypted_content            in an envelope, unless the home made it  reasoning items            
 *   service_tier, user, safety_identifier                                 as the upstream says them
 *   output                       one call at most, where that was asked    the calls beyond it         
 *   output_index, sequence_number  moved up behind a call left out         the rest of such a stream  
 *   error, response.failed       the gateway's own error frames           a failing stream           
 *   event                        named after the type                     frames without a name      
 *
 * Item ids, sequence numbers and anything else pass as they came.
 */
import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import type { SealOwner } from '../../canonical/sealed.ts';
import type { AnswerContext, Edit, Reading, Sealing, TargetFacts } from '../dialect.ts';
import { withWholeCounts } from '../upstream-answers.ts';
import { openAnswer, usageOf } from './decode-answer.ts';
import { SECOND_CALL, withoutFurtherCalls } from './one-call.ts';
import { responseId } from './response-object.ts';
import { isHome } from './seals.ts';

/** Puts an item's seal into an envelope; the same item if it has none. */
export type WrapItemSeal = (item: JsonObject) => JsonObject;

/** Undefined if the home itself answers: its seals pass raw. */
export function envelopeFor(owner: SealOwner, sealing: Sealing | undefined): WrapItemSeal | undefined {
  if (isHome(owner)) return undefined;
  return (item) => {
    const data = stringAt(item, 'encrypted_content');
    if (data === undefined || data === '') return item;
    const itemId = stringAt(item, 'id');
    const { encrypted_content: _, ...rest } = item;
    if (sealing === undefined) return rest;
    const seal = { owner, kind: 'sealed', data, ...(itemId !== undefined && { itemId }) } as const;
    return { ...rest, encrypted_content: sealing.wrap(seal) };
  };
}

/** Members of a response object that the gateway sets itself, and the output if it had to change. */
export function ownMembers(
  response: JsonObject,
  context: AnswerContext,
  envelope: WrapItemSeal | undefined,
): JsonObject {
  const { echo = {} } = context.responseOptions;
  const { metadata, previous_response_id: previous, conversation } = echo;
  const kept = context.responseOptions.oneToolCall === true ? withoutFurtherCalls(response) : undefined;
  const output = kept ?? response['output'];
  const usage = objectAt(response, 'usage');
  const counts = usage === undefined ? undefined : withWholeCounts(usage);
  const sealed = (envelope === undefined ? undefined : enveloped(output, envelope)) ?? kept;
  return {
    id: responseId(context.requestId),
    created_at: context.createdAtSeconds,
    model: context.model,
    store: echo['store'] === true,
    background: echo['background'] === true,
    ...(previous !== undefined && { previous_response_id: previous }),
    ...(conversation !== undefined && { conversation }),
    ...(metadata !== undefined && { metadata }),
    ...(sealed !== undefined && { output: sealed }),
    ...(counts !== undefined && counts !== usage && { usage: counts }),
  };
}

/** Undefined if nothing had to change. */
function enveloped(output: Json | undefined, envelope: WrapItemSeal): Json | undefined {
  const items = arrayAt({ output: output ?? null }, 'output');
  const shown = items.map((item) => (isJsonObject(item) ? envelope(item) : item));
  return shown.some((item, at) => item !== items[at]) ? shown : undefined;
}

export function readAnswer(body: Json, context: AnswerContext, target: TargetFacts): Reading {
  const response = openAnswer(body);
  const usage = usageOf(response, target);
  const members = ownMembers(response, context, envelopeFor(target.sealOwner, context.sealing));
  const edits: Edit[] = Object.entries(members).map(([name, value]) => ({ name, value: JSON.stringify(value) }));
  const cut = context.responseOptions.oneToolCall === true && withoutFurtherCalls(response) !== undefined;
  return {
    patch: { kind: 'pass', edits },
    ...(Object.keys(usage).length > 0 && { usage }),
    ...(cut && { losses: SECOND_CALL }),
  };
}
