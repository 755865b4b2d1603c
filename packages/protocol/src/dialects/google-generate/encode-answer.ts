/** A canonical answer → a generateContent response for a caller. */
import type { Candidate, TextAnswer } from '../../canonical/answer.ts';
import type { Block } from '../../canonical/content.ts';
import type { Finish } from '../../canonical/events.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { PathLosses } from '../../canonical/loss.ts';
import type { AnswerContext, EncodedAnswer } from '../dialect.ts';
import { byteOffset, writeCitation } from './citations.ts';
import { answerTail, partsOf, unwrapped } from './encode-parts.ts';
import { writeFinish } from './finish.ts';
import { averageLogprob, writeLogprobs } from './logprobs.ts';
import { writeUsage } from './usage.ts';

export function encodeAnswer(answer: TextAnswer, context: AnswerContext): EncodedAnswer {
  const losses = new PathLosses();
  const { promptBlocked } = answer;
  const body: JsonObject = {
    ...(promptBlocked === undefined || answer.candidates.length > 0
      ? { candidates: answer.candidates.map((candidate, index) => encodeCandidate(candidate, index, context, losses)) }
      : { promptFeedback: writeFeedback(promptBlocked) }),
    usageMetadata: writeUsage(answer.usage),
    ...answerTail(context),
  };
  return { body, losses: losses.all };
}

/** Block reasons of this dialect are upper-case; values of other dialects are not sent to its clients. */
export const writeFeedback = ({ reason, message, extras }: NonNullable<TextAnswer['promptBlocked']>): JsonObject => ({
  ...extras?.['google-generate'],
  blockReason: /^[A-Z_]+$/.test(reason) ? reason : 'OTHER',
  ...(message !== undefined && { blockReasonMessage: message }),
});

function encodeCandidate(candidate: Candidate, index: number, context: AnswerContext, losses: PathLosses): JsonObject {
  const path = `candidates[${index}].content`;
  const blocks = candidate.blocks.map((block) =>
    block.kind === 'text' ? { ...block, text: unwrapped(block.text, context.responseOptions.enumValues) } : block,
  );
  // Filtered content is not sent, not even in part.
  const blocked = candidate.finish.reason === 'filter';
  const parts = blocks.flatMap((block) => {
    const written = blocked ? undefined : partsOf(block, context);
    if (written === undefined) losses.add(path);
    return written ?? [];
  });
  const badCall = blocks.some((block) => block.kind === 'tool-call' && partsOf(block, context) === undefined);
  const refused = blocks.some((block) => block.kind === 'refusal');
  const { message } = candidate.finish;
  return {
    content: { role: 'model', parts },
    finishReason: writeFinish(finishOf(candidate.finish, { badCall, refused }), context.responseOptions),
    ...(message !== undefined && { finishMessage: message }),
    index,
    ...encodeLogprobs(blocks, context),
    ...(!tellsSources(candidate.extras?.['google-generate']) && encodeCitations(blocks, index, losses)),
    ...candidate.extras?.['google-generate'],
  };
}

/** An upstream of this dialect has already sent the sources in this format: written again they would count twice. */
export const tellsSources = (own: JsonObject | undefined): boolean =>
  own?.['groundingMetadata'] !== undefined || own?.['citationMetadata'] !== undefined;

/**
 * An unreadable call is not a clean stop, nor is a refusal, for which other dialects have a field of its own; a
 * truncated answer keeps its reason.
 */
export function finishOf(finish: Finish, { badCall, refused }: { badCall: boolean; refused: boolean }): Finish {
  if (finish.reason !== 'tool-call' && finish.reason !== 'stop') return finish;
  if (badCall) return { reason: 'bad-tool-call' };
  return refused && finish.reason === 'stop' ? { reason: 'refusal' } : finish;
}

function encodeLogprobs(blocks: readonly Block[], { responseOptions }: AnswerContext): JsonObject {
  if (!responseOptions.logprobs) return {};
  const logprobs = blocks.flatMap((block) =>
    block.kind === 'text' || block.kind === 'refusal' ? (block.logprobs ?? []) : [],
  );
  if (logprobs.length === 0) return {};
  return { avgLogprobs: averageLogprob(logprobs), logprobsResult: writeLogprobs(logprobs) };
}

function encodeCitations(blocks: readonly Block[], index: number, losses: PathLosses): JsonObject {
  const citations: JsonObject[] = [];
  let before = 0;
  for (const block of blocks) {
    if (block.kind !== 'text') continue;
    for (const cited of block.citations ?? []) {
      const written = writeCitation(cited, block.text, before);
      if (written !== undefined) citations.push(written);
      else losses.add(`candidates[${index}].citationMetadata`);
    }
    before += byteOffset(block.text, block.text.length);
  }
  return citations.length > 0 ? { citationMetadata: { citations } } : {};
}
