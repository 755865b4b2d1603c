/**
 * Which reported usage is plausible. Every limit is one that no tokenizer exceeds; usage beyond a limit and its margin
 * is not charged. Pure: the facts of a request go in, limits and clamped usage come out.
 */

import { INPUT_METERS, type Meter, OUTPUT_METERS, type Usage } from '@trivium/protocol/canonical';
import type { SuspectReason } from '../../kernel/price.ts';

/** If the meters together exceed `tolerated`, they are charged as `atMost`. */
export type UsageLimit = {
  readonly why: SuspectReason;
  readonly meters: readonly Meter[];
  readonly atMost: number;
  readonly tolerated: number;
};

export type Plausible = { readonly usage: Usage; readonly why: readonly SuspectReason[] };

/** Hosts that count an end token or finish a word slightly exceed a cap. */
const CAP_MARGIN_TOKENS = 64;
const CAP_MARGIN_SHARE = 1 / 16;
/** Templates and tool definitions that hosts add to a context window that the catalogue rounds. */
const WINDOW_MARGIN_SHARE = 1 / 8;

/** A UTF-16 unit is at most three bytes of UTF-8, and no tokenizer makes two tokens of one byte. */
const BYTES_PER_CHARACTER = 3;
/** One more for hosts that escape or indent JSON before they count it. */
const TOLERATED_PER_CHARACTER = 4;
/** End tokens, role tokens, leading and trailing spaces that are counted but not sent. */
export const FRAME_TOKENS = 256;
/** Names and frames of tool calls: 64 calls of 64 tokens. */
const TOOL_FRAME_TOKENS = 4096;
const INPUT_FRAME_TOKENS = 64;
/**
 * Our count has a quarter of a token for each character of at most two bytes, and one for all others: eight times as
 * much is two tokens for each character of two bytes, which no tokenizer makes.
 */
const COUNT_MARGIN = 8;
/** Templates, and what hosts write around tool definitions. */
const TEMPLATE_TOKENS = 4096;

/** Vocabularies have single tokens for runs of spaces and dashes of up to 128 characters. */
const MOST_CHARACTERS_PER_TOKEN = 128;
const STREAM_MARGIN_CHARACTERS = 1024;

/** The most tokens that a reference image, or a generated one, is counted as. */
const MOST_IMAGE_TOKENS = 16_384;
const IMAGE_MARGIN = 2;
/** Hosts choose the frames, dimensions and resolution that a request does not specify. */
const VIDEO_MARGIN = 4;
export const MOST_SEARCHES = 128;

export const toleratedOutput = (cap: number): number => cap + CAP_MARGIN_TOKENS + Math.floor(cap * CAP_MARGIN_SHARE);
export const toleratedInput = (window: number): number => window + Math.floor(window * WINDOW_MARGIN_SHARE);
export const toleratedByLength = (characters: number): number => TOLERATED_PER_CHARACTER * characters + FRAME_TOKENS;

export const outputLimit = (cap: number): UsageLimit => ({
  why: 'output-cap',
  meters: OUTPUT_METERS,
  atMost: cap,
  tolerated: toleratedOutput(cap),
});

export const windowLimit = (window: number): UsageLimit => ({
  why: 'context-window',
  meters: INPUT_METERS,
  atMost: window,
  tolerated: toleratedInput(window),
});

/**
 * For answers with all their tokens in the text. `unseen`: characters generated but not sent, such as a stop sequence.
 */
export const lengthLimit = (characters: number, unseen: number, hasTools: boolean): UsageLimit => ({
  why: 'answer-length',
  meters: ['completion', 'internalReasoning'],
  atMost: BYTES_PER_CHARACTER * characters,
  tolerated: toleratedByLength(characters + unseen) + (hasTools ? TOOL_FRAME_TOKENS : 0),
});

/** For embeddings: one token per byte of each input, and the tokens a model adds around it. */
export const inputLengthLimit = (bytes: number, inputs: number): UsageLimit => ({
  why: 'input-length',
  meters: INPUT_METERS,
  atMost: bytes,
  tolerated: bytes + INPUT_FRAME_TOKENS * inputs,
});

/** Accepted without counting: up to one token per character of the request's body. */
export const acceptedByLength = (characters: number): number => characters + TEMPLATE_TOKENS;

/** For requests in which nothing but the text can be input. `count`: our own count of it. */
export const inputCountLimit = (count: number): UsageLimit => ({
  why: 'input-length',
  meters: INPUT_METERS,
  atMost: COUNT_MARGIN * count,
  tolerated: COUNT_MARGIN * count + TEMPLATE_TOKENS,
});

export const imageInputLimit = (promptBytes: number, references: number): UsageLimit => ({
  why: 'input-length',
  meters: INPUT_METERS,
  atMost: promptBytes + MOST_IMAGE_TOKENS * references,
  tolerated: promptBytes + MOST_IMAGE_TOKENS * references + FRAME_TOKENS,
});

export const imageCountLimit = (count: number): UsageLimit => ({
  why: 'image-count',
  meters: ['pictures'],
  atMost: count,
  tolerated: count,
});

/** `most`: the tokens set aside for the requested images. */
export const imageTokenLimit = (most: number): UsageLimit => ({
  why: 'image-tokens',
  meters: ['outputImage'],
  atMost: most,
  tolerated: IMAGE_MARGIN * most,
});

/** `ordered`: tokens of the requested length and resolution at 24 frames per second; 0 if unknown. */
export const videoTokenLimit = (ordered: number): UsageLimit => ({
  why: 'video-tokens',
  meters: ['outputVideo'],
  atMost: ordered,
  tolerated: ordered > 0 ? VIDEO_MARGIN * ordered : Number.POSITIVE_INFINITY,
});

/** For reranking: the query is read with each document, in a frame of its own. */
export const rerankTokenLimit = (count: number, documents: number): UsageLimit => ({
  why: 'input-length',
  meters: INPUT_METERS,
  atMost: COUNT_MARGIN * count,
  tolerated: COUNT_MARGIN * count + INPUT_FRAME_TOKENS * documents,
});

export const unitLimit = (most: number): UsageLimit => ({
  why: 'input-length',
  meters: ['searchUnits'],
  atMost: most,
  tolerated: most,
});

export const searchLimit = (): UsageLimit => ({
  why: 'search-count',
  meters: ['webSearch'],
  atMost: MOST_SEARCHES,
  tolerated: MOST_SEARCHES,
});

/** The most characters that this many tokens can be, with any tokenizer. */
export const mostCharacters = (tokens: number): number => MOST_CHARACTERS_PER_TOKEN * tokens + STREAM_MARGIN_CHARACTERS;

/** Every limit checks the reported usage; the charged usage satisfies all limits that it broke. */
export function withinLimits(usage: Usage, limits: readonly UsageLimit[]): Plausible {
  let within = usage;
  const why: SuspectReason[] = [];
  for (const limit of limits) {
    if (totalOf(usage, limit.meters) <= limit.tolerated) continue;
    within = lowered(within, limit.meters, totalOf(within, limit.meters) - limit.atMost);
    if (!why.includes(limit.why)) why.push(limit.why);
  }
  return { usage: within, why };
}

const totalOf = (usage: Usage, meters: readonly Meter[]): number =>
  meters.reduce((sum, meter) => sum + (usage[meter] ?? 0), 0);

/** The largest figure is the least likely to be true: it is lowered first. */
function lowered(usage: Usage, meters: readonly Meter[], excess: number): Usage {
  const changed: Partial<Record<Meter, number>> = { ...usage };
  let left = excess;
  for (const meter of meters.toSorted((one, other) => (usage[other] ?? 0) - (usage[one] ?? 0))) {
    const figure = usage[meter];
    if (figure === undefined || left <= 0) continue;
    const taken = Math.min(figure, left);
    changed[meter] = figure - taken;
    left -= taken;
  }
  return changed;
}
