/** What a request is charged: the upstream's own figures, our estimate where it gave none, and what both cost. */
import {
  type Call,
  type EmbedInput,
  type ImageCall,
  inputTokens,
  type OperationKind,
  outputTokens,
  type Produced,
  type TextCall,
  type Usage,
} from '@trivium/protocol/canonical';
import { dims, estimateInputTokens, estimateOutputTokens, type RequestedSize } from '@trivium/protocol/dialects';
import type { Bill, UsageReading } from '../../kernel/record.ts';
import { answersWithImages, answersWithText, type ImageTarget, type Target } from '../../kernel/target.ts';
import { asEmbedCall, asImageCall, asTextCall } from '../../lanes/operations.ts';
import type { PriceFacts } from '../../prices/cases.ts';
import { costOf } from '../../prices/cost.ts';
import { type AskedPictures, imageAsk, imageFacts } from '../../prices/image.ts';
import {
  FRAME_TOKENS,
  imageCountLimit,
  imageInputLimit,
  imageTokenLimit,
  inputLengthLimit,
  lengthLimit,
  MOST_SEARCHES,
  mostCharacters,
  outputLimit,
  type Plausible,
  searchLimit,
  toleratedByLength,
  toleratedInput,
  toleratedOutput,
  type UsageLimit,
  windowLimit,
  withinLimits,
} from '../../prices/plausible.ts';
import type { Rates } from '../../prices/rates.ts';
import { displayNanoUsd } from '../../prices/rounding.ts';
import type { Planned, Understood } from '../request.ts';

/** For want of a better figure. */
export const CHARACTERS_PER_TOKEN = 4;

/** A running meter asks for the same figure again and again. */
const inputEstimates = new WeakMap<object, number>();

/** A request whose meaning cannot be rebuilt was sent all the same: then its length has to do. */
export const estimateInput = ({ understanding, text, elsewhere }: Billed): number => {
  if (elsewhere !== undefined) return elsewhere.figures.inputTokens ?? Math.ceil(text.length / CHARACTERS_PER_TOKEN);
  const known = inputEstimates.get(understanding);
  if (known !== undefined) return known;
  let estimate: number;
  try {
    estimate = estimateInputTokens(understanding.call());
  } catch {
    estimate = Math.ceil(text.length / CHARACTERS_PER_TOKEN);
  }
  inputEstimates.set(understanding, estimate);
  return estimate;
};

type Billed = Pick<Planned, 'understanding' | 'text' | 'elsewhere'>;

/** Undefined where some of it has no price or is not counted by the upstream: a part is not the cost. */
export function costUsdOf(usage: Usage, rates: Rates): number | undefined {
  if (usage.prompt === undefined || usage.completion === undefined) return undefined;
  const { nanoUsd, unpriced } = costOf(usage, rates);
  return unpriced.length > 0 ? undefined : displayNanoUsd(nanoUsd);
}

export type Filled = {
  readonly usage: Usage;
  readonly estimated: boolean;
  /** The output is our own count. */
  readonly outputEstimated: boolean;
};

/** The upstream's figures, and our own count where there are none. Never throws: every settlement needs a bill. */
export function filledUsage(planned: Billed, { usage, reported, ...produced }: UsageReading): Filled {
  // Who counts pictures counts no tokens, unless it says so.
  const noInput = usage.prompt === undefined && usage.pictures === undefined;
  const outputEstimated = usage.completion === undefined && produced.producedPieces > 0;
  if (!noInput && !outputEstimated) return { usage, estimated: !reported, outputEstimated };
  const filled: Usage = {
    ...usage,
    ...(noInput && { prompt: estimateInput(planned) }),
    ...(outputEstimated && { completion: estimateOutputTokens(produced) }),
  };
  return { usage: filled, estimated: true, outputEstimated };
}

export const billOf = (planned: Billed, reading: UsageReading, rates: Rates): Bill => {
  const { usage, estimated } = filledUsage(planned, reading);
  return { usage, estimated, cost: costOf(usage, rates) };
};

/** What the caller is charged: as `billOf`, less what cannot be true. `produced`: all the text there is of the answer. */
export function checkedBill(
  planned: Billed,
  target: Target,
  reading: UsageReading,
  rates: Rates,
  produced: () => Produced = () => reading,
): Bill {
  const { usage: filled, estimated, outputEstimated } = filledUsage(planned, reading);
  const usage = outputEstimated
    ? { ...filled, completion: cappedEstimate(planned, target, filled.completion ?? 0) }
    : filled;
  const { usage: charged, why } = checkUsage(planned, target, { usage, produced }, rates);
  const bill = { usage: charged, estimated, cost: costOf(charged, rates) };
  return why.length === 0 ? bill : { ...bill, suspect: { why, reported: usage } };
}

// What a call for pictures asks of one target, in the terms its price goes by: what it is told, never what is lost.

export type PricedImages = { readonly call: ImageCall; readonly asked: AskedPictures; readonly facts: PriceFacts };

/** Undefined for everything but pictures, whose prices go by counts alone. */
export function imagesToPrice(
  { understanding }: Pick<Understood, 'understanding'>,
  target: Target,
): PricedImages | undefined {
  if (!answersWithImages(target)) return undefined;
  const call = asImageCall(understanding.call());
  if (call === undefined) return undefined;
  const asked = askedOf(call, target);
  return { call, asked, facts: imageFacts(asked) };
}

function askedOf(call: ImageCall, target: ImageTarget): AskedPictures {
  const { count, quality, partials = 0, references } = call;
  const { pixels, tier } = sizeOf(call, target);
  const isTold = target.dialect.client.takesQuality?.(target.facts) === true;
  return {
    count,
    partials,
    references: references.filter(({ role }) => role !== 'mask').length,
    ...(pixels !== undefined && pixels !== 'auto' && { pixels }),
    ...(tier !== undefined && { tier }),
    ...(isTold && quality !== undefined && quality !== 'auto' && { quality }),
  };
}

/** As it is told; what a host cannot be told is refused before it costs anything, so that nothing is known of it. */
function sizeOf(call: ImageCall, { facts }: ImageTarget): RequestedSize {
  const limits = facts.model.image?.size;
  if (limits === undefined) return call;
  try {
    return dims(call, limits);
  } catch {
    return {};
  }
}

// Usage that cannot be true is not charged: output beyond the cap or beyond what the answer's length allows, input beyond the
// context window. Most answers are checked with a few comparisons; the request is read again only for those that fail them.

type Asked = Pick<Planned, 'understanding' | 'text'>;

/** What an answer used by all accounts, and how much text is known of it. */
export type Reported = {
  readonly usage: Usage;
  /** Asked for only where the length matters. */
  readonly produced: () => Produced;
};

/** A host's own tools make the model run several times in one request; more often than this is not believed. */
const MOST_MODEL_CALLS = 32;
/** Members that only the host's own dialect knows may do so, too: a compaction runs the model before the answer. */
const CALLS_WITH_EXTRAS = 4;
/** A beta may open a larger window than the catalogue names. */
const WINDOWS_WITH_BETAS = 8;
/** Of requests that cannot be read again. */
const MOST_CANDIDATES = 8;
/** Tools that callers run themselves: each run is a request of its own. */
const CALLERS_TOOLS: ReadonlySet<string> = new Set(['bash', 'text-editor', 'computer']);

const PLAUSIBLE: readonly [] = [];

export function checkUsage(asked: Asked, target: Target, reported: Reported, rates: Rates): Plausible {
  return CHECKS[target.dialect.operation](asked, target, reported, rates);
}

type UsageCheck = (asked: Asked, target: Target, reported: Reported, rates: Rates) => Plausible;

const CHECKS: Readonly<Record<OperationKind, UsageCheck>> = {
  text: (asked, target, reported) => checkText(asked, target, reported),
  embed: (asked, _, reported) => checkEmbedding(asked, reported.usage),
  image: (asked, target, reported, rates) => withinLimits(reported.usage, imageLimits(asked, target, rates)),
};

function checkText(asked: Asked, target: Target, reported: Reported): Plausible {
  const { usage } = reported;
  const output = outputTokens(usage);
  const isPlausible =
    output <= toleratedOutput(outputCap(asked, target)) &&
    inputTokens(usage) <= toleratedInput(windowOf(target)) &&
    (usage.webSearch ?? 0) <= MOST_SEARCHES &&
    (output <= FRAME_TOKENS || !isAllVisible(target) || output <= toleratedByLength(lengthOf(reported)));
  return isPlausible ? { usage, why: PLAUSIBLE } : withinLimits(usage, textLimits(asked, target, reported));
}

const lengthOf = ({ produced }: Reported): number => produced().producedCharacters;

/** By what was asked for, now that it is worth reading again. */
function textLimits(asked: Asked, target: Target, reported: Reported): readonly UsageLimit[] {
  const call = textCallOf(asked);
  const runs = modelRuns(asked, call, reported.usage.webSearch ?? 0);
  const limits = [
    outputLimit(outputCap(asked, target) * runs.calls * runs.candidates),
    windowLimit(windowOf(target) * runs.windows),
    searchLimit(),
  ];
  if (call === undefined || runs.calls > 1 || !isAllVisible(target)) return limits;
  const stop = Math.max(0, ...(call.sampling.stopSequences ?? []).map(({ length }) => length));
  return [...limits, lengthLimit(lengthOf(reported), stop, call.tools.length > 0)];
}

/** In tokens of one run of the model; infinite where neither the request nor the catalogue says. */
function outputCap({ understanding }: Asked, target: Target): number {
  const { maxOutputTokens, contextLength } = target.route;
  if (isReasoningBesideCap(target)) return contextLength > 0 ? contextLength : Number.POSITIVE_INFINITY;
  const most = maxOutputTokens > 0 ? maxOutputTokens : contextLength > 0 ? contextLength : Number.POSITIVE_INFINITY;
  const { maxOutputTokens: cap } = understanding;
  return cap === undefined || makesMedia(target) ? most : Math.min(cap, most);
}

const windowOf = ({ route: { contextLength } }: Target): number =>
  contextLength > 0 ? contextLength : Number.POSITIVE_INFINITY;

const thinks = ({ facts }: Target): boolean => facts.model.thinking.kind !== 'none';

const isReasoningBesideCap = (target: Target): boolean =>
  thinks(target) && answersWithText(target) && target.dialect.client.reasoningBesideCap?.(target.facts) === true;

/** Images and sound are tokens that are in no text. */
const makesMedia = ({ facts }: Target): boolean =>
  facts.model.outputModalities?.some((modality) => modality !== 'text') === true;

/** Every token of the answer is in its text: nothing was thought in secret. */
const isAllVisible = (target: Target): boolean => !thinks(target) && !makesMedia(target);

function textCallOf(asked: Asked): TextCall | undefined {
  const call = callOf(asked);
  return call === undefined ? undefined : asTextCall(call);
}

function callOf({ understanding }: Asked): Call | undefined {
  try {
    return understanding.call();
  } catch {
    return undefined;
  }
}

/** How often the model may run for one request, how many answers it makes, and how many windows of input that is. */
type Runs = { readonly calls: number; readonly candidates: number; readonly windows: number };

function modelRuns({ understanding }: Asked, call: TextCall | undefined, searches: number): Runs {
  if (call === undefined) return { calls: MOST_MODEL_CALLS, candidates: MOST_CANDIDATES, windows: MOST_MODEL_CALLS };
  const calls = Math.min(MOST_MODEL_CALLS, Math.max(1 + searches, callsAskedFor(call)));
  const windows = understanding.passHeaders === undefined ? 1 : WINDOWS_WITH_BETAS;
  return { calls, candidates: call.sampling.candidates ?? 1, windows: Math.max(calls, windows) };
}

function callsAskedFor({ webSearch, tools, extras }: TextCall): number {
  const runsTools = tools.some((tool) => tool.kind === 'built-in' && !CALLERS_TOOLS.has(tool.family));
  if (webSearch !== undefined || runsTools) return MOST_MODEL_CALLS;
  return Object.keys(extras).length > 0 ? CALLS_WITH_EXTRAS : 1;
}

function checkEmbedding(asked: Asked, usage: Usage): Plausible {
  // Nothing has more bytes of input than its body has characters, unless it is written in few of them.
  if (inputTokens(usage) <= asked.text.length) return { usage, why: PLAUSIBLE };
  const asking = callOf(asked);
  const call = asking === undefined ? undefined : asEmbedCall(asking);
  if (call === undefined) return { usage, why: PLAUSIBLE };
  const bytes = call.inputs.reduce((sum, input) => sum + embedBytes(input), 0);
  return withinLimits(usage, [inputLengthLimit(bytes, call.inputs.length)]);
}

const embedBytes = (input: EmbedInput): number =>
  input.kind === 'tokens'
    ? input.tokens.length
    : input.texts.reduce((sum, text) => sum + utf8Bytes(text), utf8Bytes(input.title ?? ''));

function imageLimits(asked: Asked, target: Target, rates: Rates): readonly UsageLimit[] {
  const images = imagesToPrice(asked, target);
  if (images === undefined) return [];
  const { count, references } = images.asked;
  const limits = [imageCountLimit(count), imageInputLimit(utf8Bytes(images.call.prompt), references)];
  const most = imageAsk(images.asked, 0, rates, images.facts).others?.outputImage;
  return most === undefined ? limits : [...limits, imageTokenLimit(most)];
}

const ASCII_BELOW = 0x80;
const TWO_BYTES_BELOW = 0x800;

/** At least as many as UTF-8 takes: halves of a pair are counted as three each. */
function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    bytes += unit < ASCII_BELOW ? 1 : unit < TWO_BYTES_BELOW ? 2 : 3;
  }
  return bytes;
}

/** How long a streamed text may get before it cannot be within its cap, by what is known without reading the request again. */
export const firstMostCharacters = (asked: Asked, target: Target): number => mostCharacters(outputCap(asked, target));

/** The same for a text that is longer, by all that was asked for. */
export const finalMostCharacters = (asked: Asked, target: Target, searches: number): number =>
  mostCharacters(outputCapInAll(asked, target, searches));

/** Our own count of an answer is never charged beyond the cap. It is no report, so that it is not suspect either. */
export function cappedEstimate(asked: Asked, target: Target, tokens: number): number {
  if (!answersWithText(target) || tokens <= outputCap(asked, target)) return tokens;
  return Math.min(tokens, outputCapInAll(asked, target, 0));
}

function outputCapInAll(asked: Asked, target: Target, searches: number): number {
  const { calls, candidates } = modelRuns(asked, textCallOf(asked), searches);
  return outputCap(asked, target) * calls * candidates;
}
