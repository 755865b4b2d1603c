/**
 * What a request is charged: the usage the upstream reports, our estimate where it reports none, and the cost of both.
 */
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
import type { PriceFacts, Rates } from '../../kernel/price.ts';
import type { Bill, UsageReading } from '../../kernel/record.ts';
import { answersWithImages, answersWithText, type ImageTarget, type Target } from '../../kernel/target.ts';
import { displayNanoUsd } from '../../kernel/usd.ts';
import { costOf } from '../../money/prices/cost.ts';
import { type AskedPictures, imageAsk, imageFacts } from '../../money/prices/image.ts';
import {
  acceptedByLength,
  FRAME_TOKENS,
  imageCountLimit,
  imageInputLimit,
  imageTokenLimit,
  inputCountLimit,
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
} from '../../money/prices/plausible.ts';
import { asEmbedCall, asImageCall, asTextCall } from '../operations.ts';
import type { Planned, Understood } from '../request.ts';
import { type Filled, filledRerank, rerankLimits } from './rerank-usage.ts';
import { checkSpeech, checkTranscription, saidUsage } from './sound-bill.ts';

/** Rough average, used where no better estimate exists. */
export const CHARACTERS_PER_TOKEN = 4;

/** A running meter needs the same estimate again and again. */
const inputEstimates = new WeakMap<object, number>();

/** A request whose meaning cannot be rebuilt may still be sent verbatim: its input is then estimated by its length. */
export const estimateInput = ({ understanding, text, onWorker }: Billed): number => {
  if (onWorker !== undefined) return onWorker.figures.inputTokens ?? Math.ceil(text.length / CHARACTERS_PER_TOKEN);
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

type Billed = Pick<Planned, 'understanding' | 'text' | 'onWorker'>;

/** Undefined if a part has no price or the upstream did not count it: a partial sum is not the cost. */
export function costUsdOf(usage: Usage, rates: Rates): number | undefined {
  if (usage.prompt === undefined || usage.completion === undefined) return undefined;
  const { nanoUsd, unpriced } = costOf(usage, rates);
  return unpriced.length > 0 ? undefined : displayNanoUsd(nanoUsd);
}

export type { Filled } from './rerank-usage.ts';

/** The upstream's usage, with our own count where it reports none. Never throws: every settlement needs a bill. */
export function filledUsage(planned: Billed, reading: UsageReading, rates?: Rates): Filled {
  const { usage, reported, ...produced } = reading;
  const { rerank } = planned.understanding.responseOptions;
  if (rerank !== undefined) return filledRerank(rerank, usage, rates);
  // An upstream that counts pictures counts no tokens unless it reports them.
  const { prompt, pictures, audioSeconds, characters } = usage;
  const isCounted = pictures !== undefined || audioSeconds !== undefined || characters !== undefined;
  const noInput = prompt === undefined && !isCounted;
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
  const { usage, estimated } = filledUsage(planned, reading, rates);
  return { usage, estimated, cost: costOf(usage, rates) };
};

/** What the caller is charged: `billOf` without implausible usage. `produced`: all text known of the answer. */
export function checkedBill(
  planned: Billed,
  target: Target,
  reading: UsageReading,
  rates: Rates,
  produced: () => Produced = () => reading,
): Bill {
  const { prompt, completion } = reading.usage;
  const denied = prompt === 0 && completion === 0 ? countedInstead(reading, produced) : undefined;
  const { usage: filled, estimated, outputEstimated } = filledUsage(planned, denied ?? reading, rates);
  const counted = outputEstimated
    ? { ...filled, completion: cappedEstimate(planned, target, filled.completion ?? 0) }
    : filled;
  const isSaid = planned.understanding.responseOptions.sound === 'alone' && rates.byMeter.outputAudio !== undefined;
  const usage = isSaid ? saidUsage(counted, produced) : counted;
  const { usage: charged, why } = checkUsage(planned, target, { usage, produced }, rates);
  const bill = { usage: charged, estimated, cost: costOf(charged, rates) };
  if (denied !== undefined) return { ...bill, suspect: { why: [...why, 'no-tokens'], reported: reading.usage } };
  return why.length === 0 ? bill : { ...bill, suspect: { why, reported: usage } };
}

/** Our own reading of a text whose host reports no token for it, neither of input nor of output. Otherwise undefined. */
function countedInstead({ usage }: UsageReading, produced: () => Produced): UsageReading | undefined {
  if (inputTokens(usage) + outputTokens(usage) > 0) return undefined;
  const { producedCharacters, producedPieces } = produced();
  if (producedCharacters === 0) return undefined;
  const { prompt, completion, ...others } = usage;
  return { usage: others, reported: false, producedCharacters, producedPieces: Math.max(1, producedPieces) };
}

// What an image call asks of one target, in the dimensions that target is priced by: only what is sent to it, never
// what is dropped.

export type PricedImages = { readonly call: ImageCall; readonly asked: AskedPictures; readonly facts: PriceFacts };

/** Undefined for other operations: their prices depend on counts alone. */
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

/** The size as it is sent. A size the host does not support is refused before it costs anything: then it is unknown. */
function sizeOf(call: ImageCall, { facts }: ImageTarget): RequestedSize {
  const limits = facts.model.image?.size;
  if (limits === undefined) return call;
  try {
    return dims(call, limits);
  } catch {
    return {};
  }
}

/** What a price may depend on besides counts. Undefined for most requests. */
export const priceFactsOf = (asked: Billed, target: Target): PriceFacts | undefined =>
  imagesToPrice(asked, target)?.facts;

// Implausible usage is not charged: output beyond the cap or beyond what the answer's length allows, input beyond the
// context window or beyond what the request's text can be. Most answers need a few comparisons; only those that fail them cause the request to be parsed again.

type Asked = Billed;

/** The usage reported for an answer, and how much of its text is known. */
export type Reported = {
  readonly usage: Usage;
  /** Called only where the length matters. */
  readonly produced: () => Produced;
};

/** A host's server-side tools run the model several times in one request; more runs than this are not accepted. */
const MOST_MODEL_CALLS = 32;
/** Extra members of the host's own dialect may do so, too: a compaction runs the model before the answer. */
const CALLS_WITH_EXTRAS = 4;
/** A beta header may open a larger context window than the catalogue states. */
const WINDOWS_WITH_BETAS = 8;
/** For requests that cannot be parsed again. */
export const MOST_CANDIDATES = 8;
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
  rerank: (asked, _, reported) => checkRerank(asked, reported.usage),
  // Not priced: its host reports no usage.
  moderate: (_asked, _target, { usage }) => ({ usage, why: PLAUSIBLE }),
  image: (asked, target, reported, rates) => withinLimits(reported.usage, imageLimits(asked, target, rates)),
  speech: (asked, _, reported, rates) => checkSpeech(callOf(asked), reported.usage, rates),
  transcription: (asked, _, { usage, produced }, rates) => checkTranscription(callOf(asked), usage, produced, rates),
};

function checkText(asked: Asked, target: Target, reported: Reported): Plausible {
  const { usage } = reported;
  const output = outputTokens(usage);
  const input = inputTokens(usage);
  const isPlausible =
    output <= toleratedOutput(outputCap(asked, target)) &&
    input <= toleratedInput(windowOf(target)) &&
    input <= acceptedByLength(asked.text.length) &&
    (usage.webSearch ?? 0) <= MOST_SEARCHES &&
    (output <= FRAME_TOKENS || !isAllVisible(target) || output <= toleratedByLength(lengthOf(reported)));
  return isPlausible ? { usage, why: PLAUSIBLE } : withinLimits(usage, textLimits(asked, target, reported));
}

const lengthOf = ({ produced }: Reported): number => produced().producedCharacters;

/** Limits from the request itself; parsed again only now that a cheap check has failed. */
function textLimits(asked: Asked, target: Target, reported: Reported): readonly UsageLimit[] {
  const call = textCallOf(asked);
  const runs = modelRuns(asked, call, reported.usage.webSearch ?? 0);
  const limits = [
    outputLimit(outputCap(asked, target) * runs.calls * runs.candidates),
    windowLimit(windowOf(target) * runs.windows),
    searchLimit(),
    ...(isTextAlone(asked, runs) ? [inputCountLimit(estimateInput(asked))] : []),
  ];
  if (call === undefined || runs.calls > 1 || !isAllVisible(target)) return limits;
  const stop = Math.max(0, ...(call.sampling.stopSequences ?? []).map(({ length }) => length));
  return [...limits, lengthLimit(lengthOf(reported), stop, call.tools.length > 0)];
}

/** No media, server tools, extra members or betas that may bring input of their own. */
const isTextAlone = ({ understanding }: Asked, { windows }: Runs): boolean =>
  windows === 1 && understanding.media.length === 0;

/** In tokens per run of the model; infinite if neither the request nor the catalogue states a cap. */
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

/** Images and audio count as tokens but are not part of the text. */
const makesMedia = ({ facts }: Target): boolean =>
  facts.model.outputModalities?.some((modality) => modality !== 'text') === true;

/** Every output token is in the text: no hidden reasoning. */
const isAllVisible = (target: Target): boolean => !thinks(target) && !makesMedia(target);

export function textCallOf(asked: Asked): TextCall | undefined {
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

/**
 * How often the model may run for one request, how many candidates it makes, and how many context windows of input that
 * is.
 */
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
  // Up to one token per character of the body is accepted without parsing it again.
  if (inputTokens(usage) <= asked.text.length) return { usage, why: PLAUSIBLE };
  const asking = callOf(asked);
  const call = asking === undefined ? undefined : asEmbedCall(asking);
  if (call === undefined) return { usage, why: PLAUSIBLE };
  const bytes = call.inputs.reduce((sum, input) => sum + embedBytes(input), 0);
  return withinLimits(usage, [inputLengthLimit(bytes, call.inputs.length)]);
}

/** One token per byte of the query and of each document, and no more units than the pieces they can be cut into. */
function checkRerank({ understanding }: Asked, usage: Usage): Plausible {
  const { rerank } = understanding.responseOptions;
  if (rerank === undefined) return { usage, why: PLAUSIBLE };
  return withinLimits(usage, rerankLimits(rerank));
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

/** An upper bound of the UTF-8 length: each half of a surrogate pair counts as three bytes. */
function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    bytes += unit < ASCII_BELOW ? 1 : unit < TWO_BYTES_BELOW ? 2 : 3;
  }
  return bytes;
}

/**
 * How long a streamed text may get before it must exceed its cap, by what is known without parsing the request again.
 */
export const firstMostCharacters = (asked: Asked, target: Target): number => mostCharacters(outputCap(asked, target));

/** The same for a longer text, by the whole request. */
export const finalMostCharacters = (asked: Asked, target: Target, searches: number): number =>
  mostCharacters(outputCapInAll(asked, target, searches));

/** Our own estimate is never charged beyond the cap. It is not a report, so it is not flagged as implausible either. */
export function cappedEstimate(asked: Asked, target: Target, tokens: number): number {
  if (!answersWithText(target) || tokens <= outputCap(asked, target)) return tokens;
  return Math.min(tokens, outputCapInAll(asked, target, 0));
}

function outputCapInAll(asked: Asked, target: Target, searches: number): number {
  const { calls, candidates } = modelRuns(asked, textCallOf(asked), searches);
  return outputCap(asked, target) * calls * candidates;
}
