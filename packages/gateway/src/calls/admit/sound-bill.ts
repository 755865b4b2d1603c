/** What speech and recordings may cost, and what of the reported figures is charged: of every form, by the same rule. */
import type { Call, Produced, TranscriptionCall, Usage } from '@trivium/protocol/canonical';
import { estimateInputTokens, estimateOutputTokens } from '@trivium/protocol/dialects';
import type { Rates } from '../../kernel/price.ts';
import type { Target } from '../../kernel/target.ts';
import type { HoldAsk } from '../../money/prices/hold.ts';
import { type Plausible, withinLimits } from '../../money/prices/plausible.ts';
import {
  charactersOf,
  heardAsk,
  heardLimits,
  heardUsage,
  spokenAsk,
  spokenLimits,
  spokenUsage,
  usualSeconds,
} from '../../money/prices/sound.ts';
import { asSpeechCall, asTranscriptionCall } from '../operations.ts';
import type { Planned } from '../request.ts';

/** Undefined for what is not sound. */
export function soundAsk({ understanding }: Pick<Planned, 'understanding'>, rates: Rates): HoldAsk | undefined {
  const { speech, transcript } = understanding.responseOptions;
  if (speech !== undefined) {
    const call = asSpeechCall(understanding.call());
    return call && spokenAsk(charactersOf(call.input), estimateInputTokens(call), rates);
  }
  if (transcript === undefined) return undefined;
  const call = asTranscriptionCall(understanding.call());
  return call && heardAsk(call.recording.seconds, estimateInputTokens(call), rates);
}

/** Where neither limit is known. */
const USUAL_SAID_TOKENS = 4_096;

/**
 * Of a model that may answer with sound or pictures beside text: each token may be of the most expensive kind. The cap of a
 * request does not bound what is said, and hosts may count it at the end of a stream only: where it is asked for, the
 * model's own limit is held from the start.
 */
export function madeAsk(
  ask: HoldAsk,
  { facts, route }: Target,
  { byMeter }: Rates,
  isSoundAsked: boolean,
  candidates: number,
): HoldAsk {
  const makes = (kind: string): boolean => facts.model.outputModalities?.includes(kind) === true;
  const says = makes('audio') && (isSoundAsked || byMeter.outputAudio !== undefined);
  const draws = makes('image') && byMeter.outputImage !== undefined;
  if (!says && !draws) return ask;
  const most = route.maxOutputTokens || route.contextLength || USUAL_SAID_TOKENS;
  const outputTokens = says && isSoundAsked ? Math.max(ask.outputTokens, candidates * most) : ask.outputTokens;
  const others = {
    ...ask.others,
    completion: outputTokens,
    ...(says && { outputAudio: outputTokens }),
    ...(draws && { outputImage: outputTokens }),
  };
  return { ...ask, outputTokens, others };
}

/**
 * Where sound alone was asked for and no text came, an output that its host does not break down is sound: at the price
 * of text it would be charged below its own.
 */
export function saidUsage(usage: Usage, produced: () => Produced): Usage {
  const { completion = 0, outputAudio = 0 } = usage;
  if (completion === 0 || outputAudio > 0 || produced().producedCharacters > 0) return usage;
  return { ...usage, completion: 0, outputAudio: completion };
}

export function checkSpeech(asked: Call | undefined, usage: Usage, rates: Rates): Plausible {
  const call = asked && asSpeechCall(asked);
  if (call === undefined) return { usage, why: [] };
  const characters = charactersOf(call.input);
  return withinLimits(spokenUsage(usage, characters, rates), spokenLimits(characters, estimateInputTokens(call)));
}

export function checkTranscription(
  asked: Call | undefined,
  usage: Usage,
  produced: () => Produced,
  rates: Rates,
): Plausible {
  const call = asked && asTranscriptionCall(asked);
  if (call === undefined) return { usage, why: [] };
  const told = heardUsage(usage, usualSecondsOf(call), () => estimateOutputTokens(produced()), rates);
  return withinLimits(told, heardLimits(secondsOf(call), estimateInputTokens(call)));
}

const secondsOf = ({ recording }: TranscriptionCall): number | undefined => recording.seconds;

const usualSecondsOf = ({ recording: { seconds, pieces } }: TranscriptionCall): number =>
  usualSeconds(
    seconds,
    pieces.reduce((sum, { length }) => sum + length, 0),
  );
