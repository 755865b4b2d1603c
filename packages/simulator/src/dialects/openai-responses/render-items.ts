// A script's blocks as output items, with their ids and seals.
import { type BlockOf, blocksOf, type ScriptBlock, textOf } from '../../scenarios/blocks.ts';
import { passagesOf } from '../../scenarios/passages.ts';
import type { ShapedScript } from '../../scenarios/script.ts';
import { mintSeal, type SealIssuer } from '../../seals.ts';
import { tokenLogprob } from '../openai-chat/render-shared.ts';
import { type IdPrefix, mintId } from './item-ids.ts';

export interface ResponsesRenderContext {
  readonly issuer: SealIssuer;
  readonly sequence: number;
  readonly createdS: number;
  readonly isStored: boolean;
  readonly showsSummary: boolean;
  readonly showsSeal: boolean;
  readonly showsSources: boolean;
  /** Alternatives per token; undefined if log probabilities were not requested. */
  readonly topLogprobs: number | undefined;
  /** Members of the request that the answer repeats. */
  readonly echo: object;
}

type SpokenBlock = BlockOf<'text'> | BlockOf<'refusal'>;

export type RenderedItem =
  | { readonly kind: 'message'; readonly id: string; readonly blocks: SpokenBlock[] }
  | { readonly kind: 'reasoning'; readonly id: string; readonly texts: readonly string[]; readonly isSealed: boolean }
  | { readonly kind: 'call'; readonly id: string; readonly block: BlockOf<'call'> }
  | { readonly kind: 'search'; readonly id: string; readonly block: BlockOf<'search'> }
  | { readonly kind: 'image'; readonly id: string; readonly block: BlockOf<'image'> };

const PREFIXES: Readonly<Record<ScriptBlock['kind'], IdPrefix>> = {
  text: 'msg',
  refusal: 'msg',
  reasoning: 'rs',
  'sealed-reasoning': 'rs',
  call: 'fc',
  search: 'ws',
  image: 'ig',
};

export function itemsOfScript(script: ShapedScript, context: ResponsesRenderContext): readonly RenderedItem[] {
  const items: RenderedItem[] = [];
  let hasReasoning = false;
  const { issuer, sequence, isStored } = context;
  for (const block of blocksOf(script.pieces, { joinsSources: true })) {
    const last = items.at(-1);
    if ((block.kind === 'text' || block.kind === 'refusal') && last?.kind === 'message') last.blocks.push(block);
    else {
      const prefix = block.kind === 'call' && block.isFree === true ? 'ctc' : PREFIXES[block.kind];
      items.push(itemFor(block, mintId(issuer, { prefix, sequence, index: items.length, isStored, hasReasoning })));
    }
    hasReasoning ||= items.at(-1)?.kind === 'reasoning';
  }
  return items;
}

function itemFor(block: ScriptBlock, id: string): RenderedItem {
  switch (block.kind) {
    case 'text':
    case 'refusal':
      return { kind: 'message', id, blocks: [block] };
    case 'reasoning':
      return { kind: 'reasoning', id, texts: block.texts, isSealed: false };
    case 'sealed-reasoning':
      return { kind: 'reasoning', id, texts: [block.text], isSealed: true };
    case 'call':
      return { kind: 'call', id, block };
    case 'search':
      return { kind: 'search', id, block };
    case 'image':
      return { kind: 'image', id, block };
  }
}

export function summaryOf(
  item: Extract<RenderedItem, { kind: 'reasoning' }>,
  context: ResponsesRenderContext,
): readonly string[] {
  return context.showsSummary && !item.isSealed ? [item.texts.join('')] : [];
}

export function annotationsOf(block: BlockOf<'text'>): readonly object[] {
  return passagesOf(block.pieces, (text) => Array.from(text).length).map(({ source, start, end }) => ({
    type: 'url_citation',
    start_index: start,
    end_index: end,
    url: source.url,
    title: source.title,
  }));
}

export function contentPart(block: SpokenBlock, context: ResponsesRenderContext): object {
  if (block.kind === 'refusal') return { type: 'refusal', refusal: block.texts.join('') };
  const { topLogprobs } = context;
  const logprobs = topLogprobs === undefined ? [] : block.pieces.map((piece) => tokenLogprob(piece, topLogprobs));
  return { type: 'output_text', annotations: annotationsOf(block), logprobs, text: textOf(block) };
}

/** A finished item. */
export function renderItem(
  item: RenderedItem,
  status: 'completed' | 'incomplete',
  context: ResponsesRenderContext,
): object {
  const { id } = item;
  switch (item.kind) {
    case 'message': {
      const content = item.blocks.map((block) => contentPart(block, context));
      return { id, type: 'message', status, content, role: 'assistant' };
    }
    case 'reasoning': {
      const summary = summaryOf(item, context);
      // The seal signs the visible text, and contains the id of its item.
      const hidden = `${id} ${item.texts.join('')}`;
      const seal = mintSeal(context.issuer, 'reasoning-item', JSON.stringify(summary), hidden);
      return {
        id,
        type: 'reasoning',
        summary: summary.map((text) => ({ type: 'summary_text', text })),
        ...(context.showsSeal ? { encrypted_content: seal } : {}),
      };
    }
    case 'call': {
      const { id: call_id, name, texts, isFree } = item.block;
      if (isFree === true) return { id, type: 'custom_tool_call', status, call_id, name, input: texts.join('') };
      return { id, type: 'function_call', status, arguments: texts.join(''), call_id, name };
    }
    case 'search': {
      const sources = (item.block.found ?? []).map(({ url }) => ({ type: 'url', url }));
      const action = { type: 'search', query: item.block.query, ...(context.showsSources ? { sources } : {}) };
      return { id, type: 'web_search_call', status: 'completed', action };
    }
    case 'image':
      return {
        id,
        type: 'image_generation_call',
        status: 'completed',
        output_format: 'png',
        result: item.block.base64,
      };
  }
}
