// A script as the events of a message stream: blocks strictly one after the other.
import { type BlockOf, blocksOf, type ScriptBlock, tokensOf } from '../../scenarios/blocks.ts';
import type { ShapedScript } from '../../scenarios/script.ts';
import type { StreamFrame } from '../dialect.ts';
import {
  callId,
  citationOf,
  contentOf,
  type MessagesRenderContext,
  redacted,
  searchBlocks,
  signatureOf,
  stopFields,
} from './render-blocks.ts';
import { renderUsage } from './render-usage.ts';

type FrameKind = StreamFrame['kind'];

interface EventData {
  readonly type: string;
  readonly [member: string]: unknown;
}

export function eventFrame(kind: FrameKind, data: EventData, tokens = 0): StreamFrame {
  return { kind, event: data.type, data: JSON.stringify(data), tokens };
}

export function* renderFrames(script: ShapedScript, context: MessagesRenderContext): Generator<StreamFrame> {
  yield eventFrame('open', { type: 'message_start', message: openingMessage(script, context) });
  yield eventFrame('open', { type: 'ping' });
  let index = 0;
  for (const [at, block] of blocksOf(script.pieces).entries()) {
    for (const steps of stepsOf(block, at, script, context)) {
      yield* wireBlock(steps, index);
      index += 1;
    }
  }
  const closing = { type: 'message_delta', delta: stopFields(script, context) };
  const usage = renderUsage(script, script.usage.completion);
  yield eventFrame('finish', usage === undefined ? closing : { ...closing, usage });
  yield eventFrame('done', { type: 'message_stop' });
}

function openingMessage(script: ShapedScript, context: MessagesRenderContext): object {
  const usage = context.usageAtStart
    ? renderUsage(script, Math.min(1, script.usage.completion))
    : { input_tokens: 0, output_tokens: 0 };
  return {
    id: context.id,
    type: 'message',
    role: 'assistant',
    model: context.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...(script.manner?.usage === 'absent' ? {} : { usage }),
  };
}

/** One block on the wire: its start, and the deltas that follow. */
interface Steps {
  readonly start: object;
  /** Tokens that the start of the block accounts for. */
  readonly startTokens: number;
  readonly deltas: readonly { readonly delta: object; readonly tokens: number }[];
}

function* wireBlock(steps: Steps, index: number): Generator<StreamFrame> {
  const start = { type: 'content_block_start', index, content_block: steps.start };
  yield eventFrame(steps.startTokens > 0 ? 'piece' : 'block', start, steps.startTokens);
  for (const { delta, tokens } of steps.deltas) {
    yield eventFrame(tokens > 0 ? 'piece' : 'block', { type: 'content_block_delta', index, delta }, tokens);
  }
  yield eventFrame('block', { type: 'content_block_stop', index });
}

function stepsOf(
  block: ScriptBlock,
  at: number,
  script: ShapedScript,
  context: MessagesRenderContext,
): readonly Steps[] {
  switch (block.kind) {
    case 'reasoning':
      return [thinkingSteps(block, context)];
    case 'sealed-reasoning':
      return [{ start: redacted(block.text, context), startTokens: 1, deltas: [] }];
    case 'refusal':
      return [textSteps(block.texts)];
    case 'text': {
      const citation = citationOf(block.source, script, context);
      const texts = block.pieces.map((piece) => piece.text);
      return [citation === undefined ? textSteps(texts) : citedSteps(texts, citation)];
    }
    case 'call':
      return [callSteps(block)];
    case 'search':
      return searchSteps(block, at, context);
    case 'image':
      return contentOf(block, at, script, context).map((whole) => ({
        start: { type: 'text', text: '' },
        startTokens: 0,
        deltas: [{ delta: { type: 'text_delta', text: Object(whole).text }, tokens: tokensOf(block) }],
      }));
  }
}

function textSteps(texts: readonly string[]): Steps {
  const deltas = texts.map((text) => ({ delta: { type: 'text_delta', text }, tokens: 1 }));
  return { start: { type: 'text', text: '' }, startTokens: 0, deltas };
}

function citedSteps(texts: readonly string[], citation: object): Steps {
  const { deltas } = textSteps(texts);
  const cite = { delta: { type: 'citations_delta', citation }, tokens: 0 };
  return { start: { type: 'text', text: '', citations: [] }, startTokens: 0, deltas: [cite, ...deltas] };
}

/** Hidden thinking still costs its tokens; they are counted when the block starts. */
function thinkingSteps(block: BlockOf<'reasoning'>, context: MessagesRenderContext): Steps {
  const shown = context.hidesThinking ? [] : block.texts;
  const signature = { delta: { type: 'signature_delta', signature: signatureOf(block, context) }, tokens: 0 };
  return {
    start: { type: 'thinking', thinking: '', signature: '' },
    startTokens: context.hidesThinking ? block.texts.length : 0,
    deltas: [...shown.map((thinking) => ({ delta: { type: 'thinking_delta', thinking }, tokens: 1 })), signature],
  };
}

function callSteps(block: BlockOf<'call'>): Steps {
  const json = (partial_json: string, tokens: number) => ({
    delta: { type: 'input_json_delta', partial_json },
    tokens,
  });
  return {
    start: { type: 'tool_use', id: callId(block), name: block.name, input: {} },
    startTokens: 1,
    deltas: [json('', 0), ...block.texts.map((text) => json(text, 1))],
  };
}

function searchSteps(block: BlockOf<'search'>, at: number, context: MessagesRenderContext): readonly Steps[] {
  const [call, result] = searchBlocks(block, at, context);
  const partial_json = JSON.stringify({ query: block.query });
  const calling: Steps = {
    start: { ...call, input: {} },
    startTokens: 1,
    deltas: [{ delta: { type: 'input_json_delta', partial_json }, tokens: 0 }],
  };
  return result === undefined ? [calling] : [calling, { start: result, startTokens: 0, deltas: [] }];
}
