// The conversation as a whole: who starts, what may be empty, and which result answers which call. Consecutive messages
// of one role are allowed: the vendor merges them, but only after pairing calls and results.
import { asText, type JsonRecord, ofType, textsOf } from '../../json-value.ts';
import { firstOf, repeatAt } from '../judgement.ts';
import { isPaused, isThinking, type MessagesTurn, turnsOf } from './conversation.ts';
import type { MessagesModelFamily } from './models.ts';
import { at, badRequest, type MessagesRefusal } from './refusal.ts';

const callsOf = (turn: MessagesTurn | undefined): readonly string[] => textsOf(ofType(turn?.blocks, 'tool_use'), 'id');

export function checkConversation(body: JsonRecord, family: MessagesModelFamily): MessagesRefusal | undefined {
  const turns = turnsOf(body);
  if (turns.some(({ role }) => role === 'system') && !family.hasSystemRole)
    return badRequest(
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
    );
  if (turns[0]?.role === 'system') return badRequest('messages: first message must use the "user" role');
  const refusal = firstOf(turns, (turn, index) => checkTurn(turn, index, index === turns.length - 1));
  if (refusal !== undefined) return refusal;
  if (repeatAt(turns.flatMap(callsOf)) >= 0) return badRequest('messages: `tool_use` ids must be unique');
  const unpaired = firstOf(turns, (turn, index) =>
    turn.role === 'assistant'
      ? checkAnswered(turn, turns[index + 1], index)
      : checkResults(turns[index - 1], turn, index),
  );
  // A turn that paused during a search continues when it is sent back; any other last assistant turn is prefill.
  const last = turns.at(-1);
  if (unpaired !== undefined || last?.role !== 'assistant' || isPaused(last)) return unpaired;
  if (family.refusesPrefill)
    return badRequest(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  const text = asText(last.blocks.at(-1)?.['text']);
  if (text === text.trimEnd()) return undefined;
  return badRequest('messages: final assistant content cannot end with trailing whitespace');
}

function checkTurn(
  { role, blocks, isShorthand }: MessagesTurn,
  index: number,
  isLast: boolean,
): MessagesRefusal | undefined {
  const isEmpty = blocks.length === 0 || (isShorthand && blocks[0]?.['text'] === '');
  if (isEmpty && !(isLast && role === 'assistant'))
    return at(
      ['messages', index],
      'all messages must have non-empty content except for the optional final assistant message',
    );
  const texts = isEmpty ? [] : textsOf(ofType(blocks, 'text'), 'text');
  if (texts.includes('')) return badRequest('messages: text content blocks must be non-empty');
  // Models put blank text next to calls; alone it is refused.
  const hasCalls = textsOf(blocks, 'type').some((type) => type.endsWith('_use'));
  if (!hasCalls && texts.some((text) => text.trim() === ''))
    return badRequest('messages: text content blocks must contain non-whitespace text');
  if (role !== 'assistant' || !isThinking(blocks.at(-1))) return undefined;
  return at(['messages', index], 'The final block in an assistant message cannot be `thinking`.');
}

/** Results must come first in the next message: one after another block counts as missing. */
function checkAnswered(
  turn: MessagesTurn,
  after: MessagesTurn | undefined,
  index: number,
): MessagesRefusal | undefined {
  const blocks = after?.role === 'user' ? after.blocks : [];
  const firstOther = blocks.findIndex((block) => block['type'] !== 'tool_result');
  const leading = firstOther < 0 ? blocks : blocks.slice(0, firstOther);
  const answered = new Set(textsOf(leading, 'tool_use_id'));
  const open = callsOf(turn).filter((id) => !answered.has(id));
  if (open.length === 0) return undefined;
  return at(
    ['messages', index],
    `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

function checkResults(
  before: MessagesTurn | undefined,
  turn: MessagesTurn,
  index: number,
): MessagesRefusal | undefined {
  const calls = callsOf(before);
  const seen = new Set<string>();
  return firstOf(turn.blocks, (block, place) => {
    if (block['type'] !== 'tool_result') return undefined;
    const path = ['messages', index, 'content', place];
    const id = asText(block['tool_use_id']);
    if (!calls.includes(id)) {
      const message = `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
      return at(path, message);
    }
    if (seen.has(id)) {
      const message = `each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`;
      return at(path, message);
    }
    seen.add(id);
    return undefined;
  });
}
