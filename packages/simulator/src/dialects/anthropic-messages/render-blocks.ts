// A script's blocks as content blocks of a message, with their seals.
import { rawObject } from '../../json-raw.ts';
import { type BlockOf, type ScriptBlock, textOf } from '../../scenarios/blocks.ts';
import { piecesOf, type ScriptFinish, type ShapedScript, type Source } from '../../scenarios/script.ts';
import { mintSeal, type SealIssuer } from '../../seals.ts';
import { shownResult } from './check-seals.ts';

export interface MessagesRenderContext {
  readonly issuer: SealIssuer;
  readonly id: string;
  readonly model: string;
  /** Thinking is signed but not shown. */
  readonly hidesThinking: boolean;
  readonly reportsToolStop: boolean;
  readonly usageAtStart: boolean;
}

const NO_IMAGE = 'An image was made, but this interface cannot carry it.';

export function callId(block: BlockOf<'call'>): string {
  return block.id.replace(/^call_/u, 'toolu_');
}

export function signatureOf(block: BlockOf<'reasoning'>, { issuer, hidesThinking }: MessagesRenderContext): string {
  const whole = block.texts.join('');
  return mintSeal(issuer, 'thinking', hidesThinking ? '' : whole, whole);
}

/** One block of a script may be several on the wire: a search is a call and its result. */
export function contentOf(
  block: ScriptBlock,
  at: number,
  script: ShapedScript,
  context: MessagesRenderContext,
): readonly object[] {
  switch (block.kind) {
    case 'refusal':
      return [{ type: 'text', text: block.texts.join('') }];
    case 'reasoning':
      return [
        {
          type: 'thinking',
          thinking: context.hidesThinking ? '' : block.texts.join(''),
          signature: signatureOf(block, context),
        },
      ];
    case 'sealed-reasoning':
      return [redacted(block.text, context)];
    case 'text': {
      const citation = citationOf(block.source, script, context);
      return [{ type: 'text', text: textOf(block), ...(citation && { citations: [citation] }) }];
    }
    case 'call':
      return [{ type: 'tool_use', id: callId(block), name: block.name, input: rawObject(block.texts.join('')) }];
    case 'search':
      return searchBlocks(block, at, context);
    case 'image':
      return [{ type: 'text', text: NO_IMAGE }];
  }
}

export function redacted(text: string, { issuer }: MessagesRenderContext): object {
  return { type: 'redacted_thinking', data: mintSeal(issuer, 'redacted-thinking', '', text) };
}

export function searchBlocks(block: BlockOf<'search'>, at: number, context: MessagesRenderContext): readonly object[] {
  const id = `srvtoolu_sim_${context.id.replaceAll(/\W/gu, '')}_${at}`;
  const call = { type: 'server_tool_use', id, name: 'web_search', input: { query: block.query } };
  if (block.found === undefined) return [call];
  const content = block.found.map((source) => ({
    type: 'web_search_result',
    url: source.url,
    title: source.title,
    page_age: null,
    encrypted_content: mintSeal(context.issuer, 'search-result', shownResult(source.url, source.title), source.quote),
  }));
  return [call, { type: 'web_search_tool_result', tool_use_id: id, content }];
}

/** A passage cites a search result; without a search, the first document of the prompt. */
export function citationOf(
  source: Source | undefined,
  script: ShapedScript,
  context: MessagesRenderContext,
): object | undefined {
  if (source === undefined) return undefined;
  const { url, title, quote: cited_text } = source;
  if (piecesOf(script.pieces, 'search').length > 0) {
    const encrypted_index = mintSeal(context.issuer, 'citation', shownResult(url, cited_text));
    return { type: 'web_search_result_location', cited_text, url, title, encrypted_index };
  }
  return {
    type: 'char_location',
    cited_text,
    document_index: 0,
    document_title: title,
    start_char_index: 0,
    end_char_index: cited_text.length,
    file_id: null,
  };
}

const STOP_REASONS: Readonly<Record<ScriptFinish, string>> = {
  stop: 'end_turn',
  'tool-calls': 'tool_use',
  'function-call': 'tool_use',
  length: 'max_tokens',
  'content-filter': 'refusal',
  'prompt-blocked': 'refusal',
  recitation: 'refusal',
  pause: 'pause_turn',
  'context-full': 'model_context_window_exceeded',
  'malformed-call': 'end_turn',
};

export function stopFields({ pieces, finish, stopMatched }: ShapedScript, context: MessagesRenderContext): object {
  const kinds = finish === 'stop' ? pieces.map(({ kind }) => kind) : [];
  const isCall = kinds.includes('call-start') && context.reportsToolStop;
  const usual = kinds.includes('refusal') ? 'refusal' : isCall ? 'tool_use' : STOP_REASONS[finish];
  const stop_reason = finish === 'stop' && stopMatched !== undefined ? 'stop_sequence' : usual;
  return {
    stop_reason,
    stop_sequence: stopMatched ?? null,
    ...(stop_reason === 'refusal' && { stop_details: { type: 'refusal', category: null, explanation: null } }),
  };
}
