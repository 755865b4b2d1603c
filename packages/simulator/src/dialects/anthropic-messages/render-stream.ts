// A script as the events of a message stream: blocks strictly one after the other.
import { blocksOf, type ScriptBlock, tokensOf } from '../../scenarios/blocks.ts';
import type { ShapedScript } from '../../scenarios/script.ts';
import type { StreamFrame } from '../../wire.ts';
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
  const opening = context.usageAtStart
    ? renderUsage(script, Math.min(1, script.usage.completion))
    : { input_tokens: 0, output_tokens: 0 };
  const message = {
    id: context.id,
    type: 'message',
    role: 'assistant',
    model: context.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...(script.manner?.usage !== 'absent' && { usage: opening }),
  };
  yield eventFrame('open', { type: 'message_start', message });
  yield eventFrame('open', { type: 'ping' });
  const blocks = blocksOf(script.pieces).flatMap((block, at) => stepsOf(block, at, script, context));
  for (const [index, { start, startTokens = 0, deltas = [] }] of blocks.entries()) {
    const opened = { type: 'content_block_start', index, content_block: start };
    yield eventFrame(startTokens > 0 ? 'piece' : 'block', opened, startTokens);
    for (const [delta, tokens] of deltas)
      yield eventFrame(tokens > 0 ? 'piece' : 'block', { type: 'content_block_delta', index, delta }, tokens);
    yield eventFrame('block', { type: 'content_block_stop', index });
  }
  const closing = { type: 'message_delta', delta: stopFields(script, context) };
  const usage = renderUsage(script, script.usage.completion);
  yield eventFrame('finish', usage === undefined ? closing : { ...closing, usage });
  yield eventFrame('done', { type: 'message_stop' });
}

/** One block on the wire: its start, and the deltas that follow, with the tokens each accounts for. */
interface Steps {
  readonly start: object;
  readonly startTokens?: number;
  readonly deltas?: readonly (readonly [delta: object, tokens: number])[];
}

const textDeltas = (texts: readonly string[]) => texts.map((text) => [{ type: 'text_delta', text }, 1] as const);
const jsonDelta = (partial_json: string): object => ({ type: 'input_json_delta', partial_json });

function stepsOf(
  block: ScriptBlock,
  at: number,
  script: ShapedScript,
  context: MessagesRenderContext,
): readonly Steps[] {
  switch (block.kind) {
    case 'reasoning': {
      const { hidesThinking } = context;
      const shown = hidesThinking ? [] : block.texts;
      const signature = { type: 'signature_delta', signature: signatureOf(block, context) };
      const deltas = shown.map((thinking) => [{ type: 'thinking_delta', thinking }, 1] as const);
      return [
        {
          start: { type: 'thinking', thinking: '', signature: '' },
          // Hidden thinking still costs its tokens; they are counted when the block starts.
          startTokens: hidesThinking ? block.texts.length : 0,
          deltas: [...deltas, [signature, 0]],
        },
      ];
    }
    case 'sealed-reasoning':
      return [{ start: redacted(block.text, context), startTokens: 1 }];
    case 'refusal':
      return [{ start: { type: 'text', text: '' }, deltas: textDeltas(block.texts) }];
    case 'text': {
      const citation = citationOf(block.source, script, context);
      const deltas = textDeltas(block.pieces.map((piece) => piece.text));
      if (citation === undefined) return [{ start: { type: 'text', text: '' }, deltas }];
      const cite = [{ type: 'citations_delta', citation }, 0] as const;
      return [{ start: { type: 'text', text: '', citations: [] }, deltas: [cite, ...deltas] }];
    }
    case 'call': {
      const deltas = block.texts.map((text) => [jsonDelta(text), 1] as const);
      const start = { type: 'tool_use', id: callId(block), name: block.name, input: {} };
      return [{ start, startTokens: 1, deltas: [[jsonDelta(''), 0], ...deltas] }];
    }
    case 'search': {
      const [call, result] = searchBlocks(block, at, context);
      const deltas = [[jsonDelta(JSON.stringify({ query: block.query })), 0]] as const;
      const calling = { start: { ...call, input: {} }, startTokens: 1, deltas };
      return result === undefined ? [calling] : [calling, { start: result }];
    }
    case 'image':
      return contentOf(block, at, script, context).map((whole) => ({
        start: { type: 'text', text: '' },
        deltas: [[{ type: 'text_delta', text: Object(whole).text }, tokensOf(block)]],
      }));
  }
}
