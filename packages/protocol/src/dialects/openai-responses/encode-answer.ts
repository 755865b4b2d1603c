/** A complete answer → a response object for a caller. */
import type { TextAnswer } from '../../canonical/answer.ts';
import type { Fault } from '../../canonical/fault.ts';
import { GatewayError } from '../../canonical/gateway-error.ts';
import { loseBlocked, loseFinish, loseNotes } from '../../passes/untold-notes.ts';
import { unfold } from '../../stream/unfold.ts';
import type { AnswerContext, EncodedAnswer } from '../dialect.ts';
import { FILTERED, UNFIT, writeFinish } from './finish.ts';
import { OutputBuilder } from './output-builder.ts';
import { responseObject } from './response-object.ts';

/** An answer that ends in an unreadable tool call is not an answer: marked as completed it would be trusted. */
export const BAD_TOOL_CALL: Fault = {
  kind: 'upstream-broken',
  message: 'The model ended its answer with a tool call that cannot be read.',
};

export function encodeAnswer(answer: TextAnswer, context: AnswerContext): EncodedAnswer {
  const finish = answer.candidates[0]?.finish;
  if (finish?.reason === 'bad-tool-call') throw new GatewayError(BAD_TOOL_CALL);
  const builder = new OutputBuilder(context, undefined);
  for (const event of unfold({ ...answer, candidates: answer.candidates.slice(0, 1) }))
    if ('index' in event) builder.push(event);
  builder.finish();
  loseNotes(answer.candidates[0]?.extras, builder.losses);
  loseFinish(finish, 'status', UNFIT, builder.losses);
  loseBlocked(answer.promptBlocked, builder.losses);
  // A blocked prompt has no candidate: it is sent as an empty answer with a content filter.
  const ending = finish === undefined ? FILTERED : writeFinish(finish.reason, builder.seen);
  return { body: responseObject(context, ending, builder.output(), answer.usage), losses: builder.losses.all };
}
