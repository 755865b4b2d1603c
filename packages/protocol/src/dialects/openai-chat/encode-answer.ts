/** A canonical answer → a chat.completion object for a caller. */
import type { TextAnswer } from '../../canonical/answer.ts';
import type { Block } from '../../canonical/content.ts';
import type { OpenBlock } from '../../canonical/events.ts';
import type { Fault } from '../../canonical/fault.ts';
import { GatewayError } from '../../canonical/gateway-error.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { PathLosses } from '../../canonical/loss.ts';
import type { Sealed } from '../../canonical/sealed.ts';
import { loseBlocked, loseFinish, loseNotes } from '../../passes/untold-notes.ts';
import type { AnswerContext, EncodedAnswer, Sealing } from '../dialect.ts';
import { writeLogprobs } from '../upstream-answers.ts';
import { writeAnnotation } from './citations.ts';
import { UNFIT, writeFinish } from './finish.ts';
import { writeDetail } from './reasoning.ts';
import { ALONE, formatOf, sealText } from './seals.ts';
import { withCost, writeUsage } from './usage.ts';

const CITED = 'choices[0].message.annotations';

/** An unreadable tool call is not an answer: this dialect has no finish reason for it, and any other would mislead. */
export const BAD_TOOL_CALL: Fault = {
  kind: 'upstream-broken',
  message: 'The model made a tool call that cannot be read.',
};

export const chatId = (requestId: string): string => `chatcmpl-${requestId}`;

export function encodeAnswer(answer: TextAnswer, context: AnswerContext): EncodedAnswer {
  const candidate = answer.candidates[0];
  const losses = new PathLosses();
  loseNotes(candidate?.extras, losses);
  loseFinish(candidate?.finish, 'choices[0].finish_reason', UNFIT, losses);
  loseBlocked(answer.promptBlocked, losses);
  if (candidate?.finish.reason === 'bad-tool-call') throw new GatewayError(BAD_TOOL_CALL);
  const blocks = candidate?.blocks ?? [];
  const content = blocks.flatMap((block) => (block.kind === 'text' ? (block.logprobs ?? []) : []));
  const refusal = blocks.flatMap((block) => (block.kind === 'refusal' ? (block.logprobs ?? []) : []));
  const refused = blocks.some(({ kind }) => kind === 'refusal');
  const hasLogprobs = context.responseOptions.logprobs && (content.length > 0 || refusal.length > 0);
  return {
    body: {
      id: chatId(context.requestId),
      object: 'chat.completion',
      created: context.createdAtSeconds,
      model: context.model,
      system_fingerprint: null,
      choices: [
        {
          index: 0,
          // A blocked prompt has no candidate: it is sent as an empty answer with a content filter.
          finish_reason: candidate === undefined ? 'content_filter' : writeFinish(candidate.finish.reason, refused),
          logprobs: hasLogprobs
            ? {
                content: content.length > 0 ? writeLogprobs(content, null) : null,
                refusal: refusal.length > 0 ? writeLogprobs(refusal, null) : null,
              }
            : null,
          message: encodeMessage(blocks, context, losses),
        },
      ],
      usage: withCost(writeUsage(answer.usage), answer.usage, context),
    },
    losses: losses.all,
  };
}

function encodeMessage(blocks: readonly Block[], context: AnswerContext, losses: PathLosses): JsonObject {
  const text = joined(blocks, 'text');
  const refusal = joined(blocks, 'refusal');
  const made = blocks.flatMap((block) =>
    block.kind === 'tool-call'
      ? [
          block.form === 'function'
            ? { id: block.id, type: 'function', function: { name: block.name, arguments: block.argumentsJson } }
            : { id: block.id, type: 'custom', custom: { name: block.name, input: block.argumentsJson } },
        ]
      : [],
  );
  // Callers that allowed one tool call get at most one, even if the upstream returned more.
  const { hideReasoning, oneToolCall } = context.responseOptions;
  const calls = oneToolCall === true ? made.slice(0, 1) : made;
  if (calls.length < made.length) losses.add('choices[0].message.tool_calls');
  const annotations = encodeCitations(blocks, losses);
  for (const block of blocks)
    if (block.kind === 'media' || block.kind === 'server-tool' || block.kind === 'foreign')
      losses.add(`choices[0].message.${block.kind}`);
  return {
    role: 'assistant',
    content: text === '' && (calls.length > 0 || refusal !== '') ? null : text,
    refusal: refusal === '' ? null : refusal,
    annotations,
    ...(!hideReasoning && encodeReasoning(blocks, context.sealing, losses)),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function encodeCitations(blocks: readonly Block[], losses: PathLosses): JsonObject[] {
  const annotations: JsonObject[] = [];
  let before = 0;
  for (const block of blocks) {
    if (block.kind !== 'text') continue;
    for (const citation of block.citations ?? []) {
      const written = writeAnnotation(citation, block.text.length, before);
      if (written !== undefined) annotations.push(written);
      else losses.add(CITED);
    }
    before += block.text.length;
  }
  return annotations;
}

const joined = (blocks: readonly Block[], kind: 'text' | 'refusal' | 'thinking'): string =>
  blocks.map((block) => (block.kind === kind ? block.text : '')).join('');

function encodeReasoning(blocks: readonly Block[], sealing: Sealing | undefined, losses: PathLosses): JsonObject {
  const details = blocks.flatMap((block, index) => reasoningDetail(block, index, sealing, losses));
  if (details.length === 0) return {};
  const text = joined(blocks, 'thinking');
  return { ...(text !== '' && { reasoning: text, reasoning_content: text }), reasoning_details: details };
}

function reasoningDetail(block: Block, index: number, sealing: Sealing | undefined, losses: PathLosses): JsonObject[] {
  if (block.kind === 'text' || block.kind === 'tool-call')
    return carriedDetail(block, block.seal, index, block.kind === 'text' && block.text === '', sealing);
  if (block.kind !== 'thinking' && block.kind !== 'redacted') return [];
  const seal = block.seal === undefined ? undefined : sealText(block.seal, sealing);
  if (block.kind !== 'redacted' || seal !== undefined) return [writeDetail(block, seal, index)];
  losses.add('choices[0].message.reasoning_details', 'foreign-seal');
  return [];
}

/** State attached to a call or a text; the id names the call, or says that the state came without any text. */
export function carriedDetail(
  block: OpenBlock | Block,
  seal: Sealed | undefined,
  index: number,
  isAlone: boolean,
  sealing: Sealing | undefined,
): JsonObject[] {
  const data = seal === undefined ? undefined : sealText(seal, sealing);
  if (data === undefined) return [];
  const bearer = block.kind === 'tool-call' ? { id: block.id } : isAlone && { id: ALONE };
  return [{ type: 'reasoning.encrypted', data, ...bearer, format: formatOf(seal), index }];
}
