// A script as a converse answer, whole and as the events of a stream. Text and reasoning have no start of their own.
import { printRaw, rawObject } from '../../json-raw.ts';
import { blocksOf, type ScriptBlock, textOf } from '../../scenarios/blocks.ts';
import { piecesOf, type ScriptFinish, type ShapedScript, type Source } from '../../scenarios/script.ts';
import { mintSeal, type SealIssuer } from '../../seals.ts';
import type { StreamFrame } from '../../wire.ts';
import type { ConverseFamily } from './models.ts';

export interface ConverseRenderContext {
  readonly issuer: SealIssuer;
  readonly family: ConverseFamily;
}

const STOP_REASONS: Readonly<Record<ScriptFinish, string>> = {
  stop: 'end_turn',
  'tool-calls': 'tool_use',
  'function-call': 'tool_use',
  length: 'max_tokens',
  'content-filter': 'content_filtered',
  'prompt-blocked': 'guardrail_intervened',
  recitation: 'content_filtered',
  pause: 'end_turn',
  'context-full': 'model_context_window_exceeded',
  'malformed-call': 'malformed_tool_use',
};
const PADDING = 'abcdefghijklmnopqrstuvwxyz';

function stopOf({ finish, stopMatched, pieces }: ShapedScript): object {
  const isMatched = finish === 'stop' && stopMatched !== undefined;
  const usual = finish === 'stop' && piecesOf(pieces, 'call-start').length > 0 ? 'tool_use' : STOP_REASONS[finish];
  return {
    stopReason: isMatched ? 'stop_sequence' : usual,
    ...(isMatched && { additionalModelResponseFields: { delta: { stop_sequence: stopMatched } } }),
  };
}

function usageOf({ usage, manner }: ShapedScript): object {
  const { prompt, cached, completion, cacheWrite5m = 0, cacheWrite1h = 0 } = usage;
  const written = cacheWrite5m + cacheWrite1h;
  const metrics = { latencyMs: 1 };
  if (manner?.usage === 'absent') return { metrics };
  if (manner?.usage === 'negative') return { usage: { inputTokens: -1, outputTokens: -1, totalTokens: -2 }, metrics };
  if (manner?.usage === 'odd')
    return { usage: { inputTokens: prompt + 0.5, outputTokens: String(completion), totalTokens: null }, metrics };
  return {
    usage: {
      inputTokens: prompt - cached - written,
      outputTokens: completion,
      totalTokens: prompt + completion,
      cacheReadInputTokens: cached,
      cacheWriteInputTokens: written,
      ...(written > 0 && {
        cacheDetails: [
          { ttl: '5m', inputTokens: cacheWrite5m },
          { ttl: '1h', inputTokens: cacheWrite1h },
        ],
      }),
    },
    metrics,
  };
}

/** One block: what a whole answer holds, and what a stream says of it, with the tokens of each piece. */
interface Rendered {
  readonly whole: object;
  readonly start?: object;
  readonly deltas: readonly (readonly [delta: object, tokens: number])[];
}

function rendered(block: ScriptBlock, script: ShapedScript, { issuer, family }: ConverseRenderContext): Rendered[] {
  const said = (texts: readonly string[]) => texts.map((text) => [{ text }, 1] as const);
  switch (block.kind) {
    case 'reasoning': {
      const text = block.texts.join('');
      if (family.reasoning === 'sealed')
        return [sealed(mintSeal(issuer, 'redacted-thinking', '', text), block.texts.length)];
      const signature = family.reasoning === 'signed' ? mintSeal(issuer, 'thinking', text) : undefined;
      const pieces = block.texts.map((each) => [{ reasoningContent: { text: each } }, 1] as const);
      return [
        {
          whole: { reasoningContent: { reasoningText: { text, ...(signature !== undefined && { signature }) } } },
          deltas: signature === undefined ? pieces : [...pieces, [{ reasoningContent: { signature } }, 0]],
        },
      ];
    }
    case 'sealed-reasoning':
      return [sealed(mintSeal(issuer, 'redacted-thinking', '', block.text), 1)];
    case 'refusal':
      return [{ whole: { text: block.texts.join('') }, deltas: said(block.texts) }];
    case 'text': {
      const texts = block.pieces.map(({ text }) => text);
      if (block.source === undefined) return [{ whole: { text: textOf(block) }, deltas: said(texts) }];
      const citation = citationOf(block.source, piecesOf(script.pieces, 'search').length > 0);
      return [
        {
          whole: { citationsContent: { content: [{ text: textOf(block) }], citations: [citation] } },
          deltas: [...said(texts), [{ citation }, 0]],
        },
      ];
    }
    case 'call': {
      const call = { toolUseId: block.id.replace(/^call_/u, 'tooluse_'), name: block.name };
      return [
        {
          whole: { toolUse: { ...call, input: rawObject(block.texts.join('')) } },
          start: { toolUse: call },
          deltas: block.texts.map((input) => [{ toolUse: { input } }, 1]),
        },
      ];
    }
    case 'image': {
      const format = block.mimeType.slice('image/'.length);
      const source = { bytes: block.base64 };
      return [
        { whole: { image: { format, source } }, start: { image: { format } }, deltas: [[{ image: { source } }, 1]] },
      ];
    }
    case 'search':
      return [];
  }
}

/** In two pieces, whose bytes belong together. */
function sealed(data: string, tokens: number): Rendered {
  const bytes = Buffer.from(data, 'base64');
  const piece = (part: Buffer) => ({ reasoningContent: { redactedContent: part.toString('base64') } });
  return {
    whole: piece(bytes),
    deltas: [
      [piece(bytes.subarray(0, 10)), tokens],
      [piece(bytes.subarray(10)), 0],
    ],
  };
}

function citationOf({ url, title, quote }: Source, isWeb: boolean): object {
  const location = isWeb
    ? { web: { url, domain: new URL(url).host } }
    : { documentChar: { documentIndex: 0, start: 0, end: quote.length } };
  return { title, source: url, sourceContent: [{ text: quote }], location };
}

export function renderPlain(script: ShapedScript, context: ConverseRenderContext): string {
  const content = blocksOf(script.pieces).flatMap((block) =>
    rendered(block, script, context).map(({ whole }) => whole),
  );
  return printRaw({ output: { message: { role: 'assistant', content } }, ...stopOf(script), ...usageOf(script) });
}

export function* renderFrames(script: ShapedScript, context: ConverseRenderContext): Generator<StreamFrame> {
  yield frame('open', 'messageStart', { role: 'assistant' });
  const blocks = blocksOf(script.pieces).flatMap((block) => rendered(block, script, context));
  for (const [contentBlockIndex, { start, deltas }] of blocks.entries()) {
    if (start !== undefined) yield frame('piece', 'contentBlockStart', { contentBlockIndex, start }, 1);
    for (const [delta, tokens] of deltas)
      yield frame(tokens > 0 ? 'piece' : 'block', 'contentBlockDelta', { contentBlockIndex, delta }, tokens);
    yield frame('block', 'contentBlockStop', { contentBlockIndex });
  }
  yield frame('finish', 'messageStop', stopOf(script));
  yield { ...frame('done', 'metadata', usageOf(script)), isEnd: true };
}

/** Beside the data stands padding of varying length. */
function frame(kind: StreamFrame['kind'], event: string, data: object, tokens = 0): StreamFrame {
  const p = PADDING.slice(0, 1 + (JSON.stringify(data).length % PADDING.length));
  return { kind, event, data: JSON.stringify({ ...data, p }), tokens };
}
