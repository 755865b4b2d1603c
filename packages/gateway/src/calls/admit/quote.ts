/**
 * The hold placed before the first upstream byte: the most a request may cost at any host of its plan; for a stream
 * without a cap, the most its first part may cost.
 */
import { ESTIMATE_MARGIN, estimateInputTokens, readsAtResolution } from '@trivium/protocol/dialects';
import type { Quote } from '../../kernel/admission.ts';
import { answersWithText } from '../../kernel/target.ts';
import { type HoldAsk, holdNanoUsd, missingPrices } from '../../money/prices/hold.ts';
import { imageAsk } from '../../money/prices/image.ts';
import { mayHaveCandidates, OPERATIONS } from '../operations.ts';
import type { Planned } from '../request.ts';
import { imagesToPrice, MOST_CANDIDATES, textCallOf } from './bill.ts';
import { rerankAsk } from './rerank-usage.ts';
import { madeAsk, soundAsk } from './sound-bill.ts';

/**
 * Up to this many characters the length alone bounds the tokens, without parsing again: no tokenizer makes more of it
 * in practice.
 */
const SHORT_TEXT = 65_536;
const LEAST_CHARACTERS_PER_TOKEN = 2;
/**
 * The hold of a stream without a cap starts at this many output tokens and is extended while it runs. A non-streamed
 * answer's hold cannot be extended: it covers the model's output limit, or this many tokens if no limit is known.
 */
const FIRST_STREAM_TOKENS = 4_096;

const NONE_UNPRICED: readonly string[] = [];

/** What the most that a call may cost follows from. */
export type Quoted = Pick<Planned, 'understanding' | 'dialect' | 'text' | 'plan' | 'onWorker'>;

/** `isWhole`: it cannot be extended, though the answer is streamed. */
export function quoteOf(planned: Quoted, factorPpm: number | undefined, isWhole = false): Quote {
  let inputTokens: number | undefined;
  let unpriced = NONE_UNPRICED;
  let highest = 0n;
  const candidates = candidatesOf(planned);
  // The sound of a video is counted as audio.
  const hasSound = planned.understanding.media.some(({ kind }) => kind === 'audio' || kind === 'video');
  for (const target of planned.plan) {
    const images = imagesToPrice(planned, target);
    const rates = target.card.rates(factorPpm, images?.facts);
    inputTokens ??= images === undefined ? inputBound(planned) : ESTIMATE_MARGIN * estimated(planned, false);
    const { rerank, sound } = planned.understanding.responseOptions;
    const usual: HoldAsk =
      soundAsk(planned, rates) ??
      (rerank !== undefined
        ? rerankAsk(rerank, rates)
        : images === undefined
          ? {
              inputTokens,
              outputTokens: candidates * outputBound(planned, target.route.maxOutputTokens, isWhole),
              ...(hasSound && { others: { inputAudio: inputTokens } }),
            }
          : imageAsk(images.asked, inputTokens, rates, images.facts));
    const { outputAudio, outputImage } = rates.byMeter;
    const mayMakeMedia = sound !== undefined || outputAudio !== undefined || outputImage !== undefined;
    const ask =
      mayMakeMedia && answersWithText(target) ? madeAsk(usual, target, rates, sound !== undefined, candidates) : usual;
    const missing = missingPrices(rates, ask);
    if (missing.length > 0) unpriced = [...new Set([...unpriced, ...missing])];
    const nanoUsd = holdNanoUsd(rates, ask);
    if (nanoUsd > highest) highest = nanoUsd;
  }
  const [first] = planned.plan;
  return { holdNanoUsd: highest, priceVersion: first?.card.version ?? '', unpriced };
}

/** Throws where the call cannot be rebuilt. */
function estimated({ understanding, onWorker }: Quoted, atResolution: boolean): number {
  if (onWorker === undefined) return estimateInputTokens(understanding.call(), atResolution);
  const { inputTokens, inputTokensAtResolution } = onWorker.figures;
  const tokens = atResolution ? inputTokensAtResolution : inputTokens;
  if (tokens === undefined) throw new Error('this call cannot be rebuilt');
  return tokens;
}

function inputBound(planned: Quoted): number {
  const { text, understanding, plan } = planned;
  const byLength = Math.ceil(text.length / LEAST_CHARACTERS_PER_TOKEN);
  const isShort = text.length <= SHORT_TEXT;
  const hasMedia = understanding.media.length > 0;
  if (isShort && !hasMedia) return byLength;
  try {
    const atResolution = hasMedia && plan.some(({ facts }) => readsAtResolution(facts.model));
    const byMeaning = ESTIMATE_MARGIN * estimated(planned, atResolution);
    // Media take more tokens than characters: a URL is short, and a small picture may be read at a high resolution.
    return hasMedia && isShort ? Math.max(byLength, byMeaning) : Math.min(byLength, byMeaning);
  } catch {
    return byLength;
  }
}

/** How a body may name the number of candidates: a name in JSON may be written with escapes, of ASCII here. */
const NAMES_CANDIDATES = /candidate|\\u00[4-7]/i;

/** Each one may be as long as the cap. A body is parsed again only where it may ask for several. */
function candidatesOf(planned: Quoted): number {
  const { dialect, text, onWorker } = planned;
  if (!mayHaveCandidates(dialect)) return 1;
  if (onWorker !== undefined) return onWorker.figures.candidates ?? MOST_CANDIDATES;
  if (!NAMES_CANDIDATES.test(text)) return 1;
  const call = textCallOf(planned);
  return call === undefined ? MOST_CANDIDATES : (call.sampling.candidates ?? 1);
}

function outputBound({ dialect, understanding }: Quoted, limit: number, isWhole: boolean): number {
  if (!OPERATIONS[dialect.operation].hasContext) return 0;
  const { maxOutputTokens, stream } = understanding;
  if (maxOutputTokens !== undefined) return limit > 0 ? Math.min(maxOutputTokens, limit) : maxOutputTokens;
  return (stream && !isWhole) || limit <= 0 ? FIRST_STREAM_TOKENS : limit;
}
