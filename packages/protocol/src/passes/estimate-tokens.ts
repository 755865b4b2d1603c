/**
 * A rough count of a call's input tokens, for upstreams that cannot count: the same call always gives the same number.
 *
 * The rule: characters below U+0800 (Latin, Greek, Cyrillic, Arabic …) make a quarter of a token each, all others (CJK,
 * emoji …) a whole one; every block, tool and turn adds 4 tokens of frame; an image counts 1,500, other media 3,000,
 * unless its bytes are at hand and few (one token for 60 base64 characters, at most those numbers). Models that read images at
 * the resolution they are told take as many tokens as that has, however few the bytes. Rounded up.
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

export function estimateInputTokens(call: Call, readsAtResolution = false): number {
  if (call.operation === 'embed') return estimateEmbedTokens(call.inputs);
  if (call.operation === 'image')
    return Math.ceil((frame + ofText(call.prompt)) / 4) + IMAGE_TOKENS * call.references.length;
  const told: Told = readsAtResolution ? { usual: call.mediaResolution } : undefined;
  let quarters = 0;
  for (const block of call.system) quarters += ofBlock(block, told);
  for (const turn of call.turns) {
    quarters += frame;
    for (const block of turn.blocks) quarters += ofBlock(block, told);
  }
  for (const tool of call.tools) quarters += ofTool(tool);
  if (call.output?.kind === 'schema') quarters += ofText(JSON.stringify(call.output.schema)) + frame;
  return Math.max(1, Math.ceil(quarters / 4));
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

function ofTool(tool: Tool): number {
  const schema = tool.kind === 'function' ? tool.parameters : tool.kind === 'custom' ? tool.format : tool.settings;
  const description = tool.kind === 'built-in' ? '' : (tool.description ?? '');
  return frame + ofText(tool.name) + ofText(description) + ofText(schema === undefined ? '' : JSON.stringify(schema));
}

const ofBlocks = (blocks: readonly Block[], told: Told): number =>
  blocks.reduce((total, block) => total + ofBlock(block, told), 0);

function ofBlock(block: Block, told: Told): number {
  switch (block.kind) {
    case 'text':
    case 'refusal':
    case 'thinking':
      return frame + ofText(block.text);
    case 'redacted':
      return frame + ofText(block.seal.data);
    case 'media':
      return frame + ofMedia(block, told);
    case 'document':
    case 'search-result':
      return frame + ofText(block.title ?? '') + ofBlocks(block.content, told);
    case 'tool-call':
      return frame + ofText(block.name) + ofText(block.argumentsJson);
    case 'tool-result':
      return (
        frame +
        ofBlocks(block.content, told) +
        ofText(block.structured === undefined ? '' : JSON.stringify(block.structured))
      );
    case 'server-tool':
      return frame + ofText(block.argumentsJson) + ofText(JSON.stringify(block.result?.content ?? ''));
    case 'foreign':
      return frame + ofText(JSON.stringify(block.wire));
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
