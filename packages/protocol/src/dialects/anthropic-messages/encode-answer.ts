/** A complete answer → a message for a caller. */
import type { TextAnswer } from '../../canonical/answer.ts';
import { GatewayError } from '../../canonical/gateway-error.ts';
import { loseBlocked, loseFinish, loseNotes } from '../../passes/untold-notes.ts';
import type { AnswerContext, EncodedAnswer } from '../dialect.ts';
import { AnswerWriter } from './answer-blocks.ts';
import { UNFIT, writeFinish } from './finish.ts';
import { writeUsage } from './usage.ts';

export const messageId = (requestId: string): string => `msg_${requestId}`;

/** An answer that ends in an unreadable tool call is not an answer: as a normal stop it would look complete. */
export const BAD_TOOL_CALL = {
  kind: 'upstream-broken',
  message: 'The model ended its answer with a tool call that cannot be read.',
} as const;

export function encodeAnswer(answer: TextAnswer, context: AnswerContext): EncodedAnswer {
  const writer = new AnswerWriter(context);
  const candidate = answer.candidates[0];
  const finish = candidate?.finish;
  if (finish?.reason === 'bad-tool-call') throw new GatewayError(BAD_TOOL_CALL);
  const blocks = candidate?.blocks ?? [];
  const content = blocks.flatMap((block) => writer.block(block));
  loseNotes(candidate?.extras, writer.losses);
  loseFinish(finish, 'stop_reason', UNFIT, writer.losses);
  loseBlocked(answer.promptBlocked, writer.losses);
  const refusal = blocks.some((block) => block.kind === 'refusal');
  // A blocked prompt has no candidate: it is sent as an empty answer with a refusal.
  const stopReason =
    finish === undefined ? 'refusal' : writeFinish(finish.reason, { toolCall: writer.sawToolCall, refusal });
  return {
    body: {
      id: messageId(context.requestId),
      type: 'message',
      role: 'assistant',
      model: context.model,
      content,
      stop_reason: stopReason,
      stop_sequence: stopReason === 'stop_sequence' ? (finish?.stopMatched ?? null) : null,
      usage: writeUsage(answer.usage),
    },
    losses: writer.losses.all,
  };
}
