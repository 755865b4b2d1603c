/** Sampling parameters → the wire: within this dialect's range, this model's support, and the limits of thinking. */
import type { Sampling } from '../../canonical/call.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { LossList } from '../../passes/loss-list.ts';
import type { TargetFacts } from '../dialect.ts';
import { quirksOf } from './quirks.ts';

const MAX_TEMPERATURE = 1;
/** While a model thinks, its temperature is fixed and top-p must be at least this value. */
const THINKING_TOP_P = 0.95;

/** Stop sequences of white space only are refused upstream: the gateway watches for them itself. */
const isBlank = (stop: string): boolean => stop.trim() === '';
export const stopsToWatchFor = ({ stopSequences = [] }: Sampling): readonly string[] => stopSequences.filter(isBlank);

export function encodeSampling(
  sampling: Sampling,
  target: TargetFacts,
  thinking: boolean,
  losses: LossList,
): JsonObject {
  for (const field of ['seed', 'frequencyPenalty', 'presencePenalty', 'logitBias', 'topLogprobs', 'verbosity'] as const)
    if (sampling[field] !== undefined) losses.add(`sampling.${field}`);
  const stops = (sampling.stopSequences ?? []).filter((stop) => !isBlank(stop));
  const temperature = temperatureOf(sampling.temperature, target, thinking, losses);
  return {
    ...(temperature !== undefined && { temperature }),
    ...topPOf(sampling, temperature, target, thinking, losses),
    ...topKOf(sampling.topK, target, thinking, losses),
    ...(stops.length > 0 && { stop_sequences: stops }),
  };
}

function temperatureOf(
  wanted: number | undefined,
  { model }: TargetFacts,
  thinking: boolean,
  losses: LossList,
): number | undefined {
  // 1 is the model's default: leaving it out loses nothing.
  if (wanted === undefined || (wanted === MAX_TEMPERATURE && (thinking || !model.temperature))) return undefined;
  if (!model.temperature || thinking) {
    losses.add('sampling.temperature');
    return undefined;
  }
  if (wanted > MAX_TEMPERATURE) losses.add('sampling.temperature', 'clamped');
  return Math.min(wanted, MAX_TEMPERATURE);
}

function topPOf(
  { topP }: Sampling,
  temperature: number | undefined,
  target: TargetFacts,
  thinking: boolean,
  losses: LossList,
): JsonObject {
  if (topP === undefined) return {};
  const alone = temperature === undefined || quirksOf(target).temperatureWithTopP;
  if (target.model.temperature && alone && (!thinking || topP >= THINKING_TOP_P)) return { top_p: topP };
  if (topP !== 1) losses.add('sampling.topP');
  return {};
}

function topKOf(topK: number | undefined, target: TargetFacts, thinking: boolean, losses: LossList): JsonObject {
  if (topK === undefined || topK === 0) return {};
  if (target.model.temperature && !thinking && quirksOf(target).topK) return { top_k: topK };
  losses.add('sampling.topK');
  return {};
}
