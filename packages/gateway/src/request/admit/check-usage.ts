/**
 * Usage that cannot be true is not charged: output beyond the cap or beyond what the answer's length allows, input beyond the
 * context window. Most answers are checked with a few comparisons; the request is read again only for those that fail them.
 */
import {
  type Call,
  type EmbedInput,
  inputTokens,
  type OperationKind,
  outputTokens,
  type Produced,
  type TextCall,
  type Usage,
} from '@trivium/protocol/canonical';
import type { Target } from '../../kernel/target.ts';
import { answersWithText } from '../../kernel/target.ts';
import { asEmbedCall, asTextCall } from '../../lanes/operations.ts';
import { imageAsk } from '../../prices/image.ts';
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
import type { Planned } from '../request.ts';
import { imagesToPrice } from './price-images.ts';

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
