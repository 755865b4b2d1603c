/**
 * A rough count of a call's input tokens, for upstreams that cannot count: the same call always gives the same number.
 *
 * The rule: characters below U+0800 (Latin, Greek, Cyrillic, Arabic …) make a quarter of a token each, all others (CJK,
 * emoji …) a whole one; every block, tool and turn adds 4 tokens of frame; an image counts 1,500, other media 3,000,
 * unless its bytes are at hand and few (one token for 60 base64 characters, at most those numbers). Models that read images at
 * the resolution they are told take as many tokens as that has, however few the bytes. Rounded up.
 *
 * Around it stand two bounds: no tokenizer in use makes fewer than `leastInputTokens`, and none makes more than
 * `ESTIMATE_MARGIN` times the estimate of ordinary texts.
 */
import type { TextCall, Tool } from '../canonical/call.ts';
import type { Block, MediaBlock } from '../canonical/content.ts';
import type { EmbedInput } from '../canonical/embedding.ts';
import type { Call } from '../canonical/operation.ts';
import type { Produced } from '../canonical/usage.ts';

const FRAME_TOKENS = 4;
const IMAGE_TOKENS = 1500;
const OTHER_MEDIA_TOKENS = 3000;
const BASE64_CHARACTERS_PER_TOKEN = 60;
const DENSE_FROM = 0x800;

type Resolution = NonNullable<TextCall['mediaResolution']>;
const TOKENS_AT: Readonly<Record<Resolution, number>> = { low: 280, medium: 560, high: 1120, ultra: 2240 };
/** Of images that do not name their own; undefined where the model knows none. */
type Told = { readonly usual: Resolution | undefined } | undefined;

/** How far above the estimate the true count may be. */
export const ESTIMATE_MARGIN = 2;

/** What a piece of a call counts, in quarters of a token so that sums of the estimate stay whole numbers. */
type Measure = {
  readonly ofTurn: number;
  readonly ofEachBlock: number;
  ofText(text: string): number;
  ofMedia(block: MediaBlock): number;
  /** Earlier thoughts, opaque state and results of the host's own tools, which hosts may drop before they count. */
  ofDroppable(text: string): number;
};

export function estimateInputTokens(call: Call, readsAtResolution = false): number {
  if (call.operation === 'embed') return estimateEmbedTokens(call.inputs);
  if (call.operation === 'image')
    return Math.ceil((frame + ofText(call.prompt)) / 4) + IMAGE_TOKENS * call.references.length;
  return ofWhole(call, { ...usualMeasure(call, readsAtResolution), ofEachBlock: frame });
}

/** OpenAI's chat format opens the answer with this many. */
const PRIMING_TOKENS = 3;

/** The same with texts counted by a tokenizer instead of by length. The frames are those of OpenAI's chat format; media are estimated. */
export function countInputTokens(
  call: TextCall,
  tokensOf: (text: string) => number,
  readsAtResolution = false,
): number {
  const ofText = (text: string): number => 4 * tokensOf(text);
  return PRIMING_TOKENS + ofWhole(call, { ...usualMeasure(call, readsAtResolution), ofText, ofDroppable: ofText });
}

function usualMeasure({ mediaResolution }: TextCall, readsAtResolution: boolean): Measure {
  const told: Told = readsAtResolution ? { usual: mediaResolution } : undefined;
  return { ofTurn: frame, ofEachBlock: 0, ofText, ofMedia: (block) => ofMedia(block, told), ofDroppable: ofText };
}

function ofWhole(call: TextCall, measure: Measure): number {
  let quarters = ofPrompt(call, measure);
  for (const tool of call.tools) quarters += ofTool(tool, measure);
  if (call.output?.kind === 'schema') quarters += measure.ofText(JSON.stringify(call.output.schema)) + frame;
  return Math.max(1, Math.ceil(quarters / 4));
}

/**
 * A count that no tokenizer in use stays below: an eighth of a token for a character below U+0800, a quarter for others,
 * nothing for one that repeats the one before it (long runs are one token), nothing for media, tools and what hosts may drop.
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

/** Tokens are four characters long on average, and seldom longer than eight over a whole text. */
const USUAL_TOKEN = 4;
const LONG_TOKEN = 8;
/** A few long words at the beginning are still one token each. */
const LONG_START = 16;

/**
 * What an answer without figures has cost so far. Upstreams send a token or more with each piece, so that there are at
 * least as many tokens as pieces; only what the pieces have beyond long tokens is counted by its length. Seldom too much.
 */
export function estimateOutputTokens({ producedPieces, producedCharacters }: Produced): number {
  const beyond = producedCharacters - LONG_TOKEN * producedPieces - LONG_START;
  return producedPieces + (beyond > 0 ? Math.floor(beyond / USUAL_TOKEN) : 0);
}

/** The rule of inputs for what is embedded, without the frame that turns and blocks have; token ids are counted as they are. */
export function estimateEmbedTokens(inputs: readonly EmbedInput[]): number {
  let tokens = 0;
  for (const input of inputs)
    tokens +=
      input.kind === 'tokens'
        ? input.tokens.length
        : Math.ceil(input.texts.reduce((quarters, text) => quarters + ofText(text), 0) / 4);
  return Math.max(1, tokens);
}

/** Counted in quarters of a token, so that sums stay whole numbers. */
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

function ofMedia({ media, source, detail }: MediaBlock, told: Told): number {
  const resolution = detail === undefined || detail === 'auto' ? told?.usual : detail;
  if (told !== undefined && media === 'image' && resolution !== undefined) return TOKENS_AT[resolution] * 4;
  const most = media === 'image' ? IMAGE_TOKENS : OTHER_MEDIA_TOKENS;
  const tokens =
    source.via === 'inline' ? Math.min(most, Math.ceil(source.base64.length / BASE64_CHARACTERS_PER_TOKEN)) : most;
  return tokens * 4;
}
