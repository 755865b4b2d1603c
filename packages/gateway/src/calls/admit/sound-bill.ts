/** What speech and recordings may cost, and what of the reported figures is charged: of every form, by the same rule. */
import type { Call, Produced, TranscriptionCall, Usage } from '@trivium/protocol/canonical';
import { estimateInputTokens, estimateOutputTokens } from '@trivium/protocol/dialects';
import type { PriceFacts, Rates } from '../../kernel/price.ts';
import { speaks, type Target } from '../../kernel/target.ts';
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

const SPEAKS: PriceFacts = { speaks: true };

export const soundFacts = (target: Target): PriceFacts | undefined => (speaks(target) ? SPEAKS : undefined);

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
