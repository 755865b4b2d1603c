/**
 * A rough count of a call's input tokens, for upstreams that cannot count: the same call always gives the same number.
 *
 * The rule: characters below U+0800 (Latin, Greek, Cyrillic, Arabic …) count a quarter of a token each, all others
 * (CJK, emoji …) one token; every block, tool and turn adds 4 tokens of framing; an image counts 1,500, other media
 * 3,000, or less if its bytes are in the request and few (one token per 60 base64 characters, at most those numbers).
 * For models that read images at the requested resolution an image counts the tokens of that resolution, however few
 * its bytes. Rounded up.
 *
 * Two bounds go with it: no tokenizer in use gives fewer tokens than `leastInputTokens`, and none gives more than
 * `ESTIMATE_MARGIN` times the estimate for ordinary texts.
 */
import type { TextCall, Tool } from '../canonical/call.ts';
import type { Block, MediaBlock } from '../canonical/content.ts';
import type { EmbedInput } from '../canonical/embedding.ts';
import type { Call } from '../canonical/operation.ts';
import type { RerankCall } from '../canonical/rerank.ts';
import type { Produced } from '../canonical/usage.ts';

const FRAME_TOKENS = 4;
const IMAGE_TOKENS = 1500;
const OTHER_MEDIA_TOKENS = 3000;
const BASE64_CHARACTERS_PER_TOKEN = 60;
const DENSE_FROM = 0x800;

type Resolution = NonNullable<TextCall['mediaResolution']>;
const TOKENS_AT: Readonly<Record<Resolution, number>> = { low: 280, medium: 560, high: 1120, ultra: 2240 };
/** `usual`: the call's resolution, for images that do not name their own. Undefined: the model ignores resolutions. */
type RequestedResolution = { readonly usual: Resolution | undefined } | undefined;

/** Upper bound of the true count, as a multiple of the estimate. */
export const ESTIMATE_MARGIN = 2;

/** How a part of a call counts, in quarters of a token so that sums of the estimate stay integers. */
type Measure = {
  readonly ofTurn: number;
  readonly ofEachBlock: number;
  ofText(text: string): number;
  ofMedia(block: MediaBlock): number;
  /** Earlier reasoning, opaque state and results of server tools, which hosts may drop before they count. */
  ofDroppable(text: string): number;
};

export function estimateInputTokens(call: Call, readsAtResolution = false): number {
  if (call.operation === 'embed') return estimateEmbedTokens(call.inputs);
  if (call.operation === 'rerank') return estimateRerankTokens(call);
  if (call.operation === 'moderate')
    return estimateEmbedTokens([{ kind: 'text', texts: call.texts }]) + IMAGE_TOKENS * call.pictures;
  if (call.operation === 'image')
    return Math.ceil((frame + ofText(call.prompt)) / 4) + IMAGE_TOKENS * call.references.length;
  if (call.operation === 'speech') return Math.ceil((frame + ofText(call.input) + ofText(call.instructions ?? '')) / 4);
  if (call.operation === 'transcription') return Math.ceil((frame + ofText(call.prompt ?? '')) / 4);
  return ofWhole(call, { ...usualMeasure(call, readsAtResolution), ofEachBlock: frame });
}

/** OpenAI's chat format starts every answer with this many tokens. */
const PRIMING_TOKENS = 3;

/**
 * The same rule, but a tokenizer counts the texts. The framing is that of OpenAI's chat format; media are estimated.
 */
export function countInputTokens(
  call: TextCall,
  tokensOf: (text: string) => number,
  readsAtResolution = false,
): number {
  const ofText = (text: string): number => 4 * tokensOf(text);
  return PRIMING_TOKENS + ofWhole(call, { ...usualMeasure(call, readsAtResolution), ofText, ofDroppable: ofText });
}

function usualMeasure({ mediaResolution }: TextCall, readsAtResolution: boolean): Measure {
  const requested: RequestedResolution = readsAtResolution ? { usual: mediaResolution } : undefined;
  return { ofTurn: frame, ofEachBlock: 0, ofText, ofMedia: (block) => ofMedia(block, requested), ofDroppable: ofText };
}

function ofWhole(call: TextCall, measure: Measure): number {
  let quarters = ofPrompt(call, measure);
  for (const tool of call.tools) quarters += ofTool(tool, measure);
  if (call.output?.kind === 'schema') quarters += measure.ofText(JSON.stringify(call.output.schema)) + frame;
  return Math.max(1, Math.ceil(quarters / 4));
}

/**
 * A lower bound for every tokenizer in use: an eighth of a token for a character below U+0800, a quarter for others,
 * nothing for a character equal to the one before it (long runs are one token), nothing for media, tools and parts that
 * hosts may drop.
 */
export const leastInputTokens = (call: TextCall): number => Math.floor(ofPrompt(call, LEAST) / 4);

const LEAST: Measure = {
  ofTurn: 1,
  ofEachBlock: 1,
  ofText: (text) => {
    let quarters = 0;
    let before = -1;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code !== before) quarters += code < DENSE_FROM ? 0.5 : 1;
      before = code;
    }
    return quarters;
  },
  ofMedia: () => 0,
  ofDroppable: () => 0,
};

function ofPrompt({ system, turns }: TextCall, measure: Measure): number {
  let quarters = ofBlocks(system, measure);
  for (const { blocks } of turns) quarters += measure.ofTurn + ofBlocks(blocks, measure);
  return quarters;
}

/** Tokens have four characters on average, and rarely more than eight on average over a whole text. */
const USUAL_TOKEN = 4;
const LONG_TOKEN = 8;
/** A few long words at the start are still one token each. */
const LONG_START = 16;

/**
 * Estimated output tokens of an answer whose upstream reports no usage. Upstreams send at least one token per piece, so
 * the number of pieces is a lower bound; only characters beyond long tokens are counted by length. Rarely too high.
 */
export function estimateOutputTokens({ producedPieces, producedCharacters }: Produced): number {
  const beyond = producedCharacters - LONG_TOKEN * producedPieces - LONG_START;
  return producedPieces + (beyond > 0 ? Math.floor(beyond / USUAL_TOKEN) : 0);
}

/** The same rule for embedding inputs, without the framing of turns and blocks; token ids count one each. */
export function estimateEmbedTokens(inputs: readonly EmbedInput[]): number {
  let tokens = 0;
  for (const input of inputs)
    tokens +=
      input.kind === 'tokens'
        ? input.tokens.length
        : Math.ceil(input.texts.reduce((quarters, text) => quarters + ofText(text), 0) / 4);
  return Math.max(1, tokens);
}

/** A host reads the query once more with each document. */
export function estimateRerankTokens({ query, documents }: Pick<RerankCall, 'query' | 'documents'>): number {
  const quarters = documents.reduce((sum, document) => sum + ofText(document), ofText(query) * documents.length);
  return Math.max(1, Math.ceil(quarters / 4));
}

/** In quarters of a token, so that sums stay integers. */
const frame = FRAME_TOKENS * 4;

function ofText(text: string): number {
  let quarters = 0;
  for (let at = 0; at < text.length; at++) quarters += text.charCodeAt(at) < DENSE_FROM ? 1 : 4;
  return quarters;
}

function ofTool(tool: Tool, measure: Measure): number {
  const schema = tool.kind === 'function' ? tool.parameters : tool.kind === 'custom' ? tool.format : tool.settings;
  const description = tool.kind === 'built-in' ? '' : (tool.description ?? '');
  const parts = [tool.name, description, schema === undefined ? '' : JSON.stringify(schema)];
  return parts.reduce((quarters, part) => quarters + measure.ofText(part), frame);
}

const ofBlocks = (blocks: readonly Block[], measure: Measure): number =>
  blocks.reduce((total, block) => total + measure.ofEachBlock + ofBlock(block, measure), 0);

function ofBlock(block: Block, measure: Measure): number {
  switch (block.kind) {
    case 'text':
    case 'refusal':
      return measure.ofText(block.text);
    case 'thinking':
      return measure.ofDroppable(block.text);
    case 'redacted':
      return measure.ofDroppable(block.seal.data);
    case 'media':
      return measure.ofMedia(block);
    case 'document':
    case 'search-result':
      return measure.ofText(block.title ?? '') + ofBlocks(block.content, measure);
    case 'tool-call':
      return measure.ofText(block.name) + measure.ofText(block.argumentsJson);
    case 'tool-result':
      return (
        ofBlocks(block.content, measure) +
        measure.ofText(block.structured === undefined ? '' : JSON.stringify(block.structured))
      );
    case 'server-tool':
      return (
        measure.ofDroppable(block.argumentsJson) + measure.ofDroppable(JSON.stringify(block.result?.content ?? ''))
      );
    case 'foreign':
      return measure.ofDroppable(JSON.stringify(block.wire));
  }
}

function ofMedia({ media, source, detail }: MediaBlock, requested: RequestedResolution): number {
  const resolution = detail === undefined || detail === 'auto' ? requested?.usual : detail;
  if (requested !== undefined && media === 'image' && resolution !== undefined) return TOKENS_AT[resolution] * 4;
  const most = media === 'image' ? IMAGE_TOKENS : OTHER_MEDIA_TOKENS;
  const tokens =
    source.via === 'inline' ? Math.min(most, Math.ceil(source.base64.length / BASE64_CHARACTERS_PER_TOKEN)) : most;
  return tokens * 4;
}
