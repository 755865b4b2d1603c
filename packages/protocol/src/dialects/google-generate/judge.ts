/** Requests this protocol promises to refuse for models that cannot serve them, on every host. */
import { arrayAt, type JsonObject, numberAt, objectAt, stringAt } from '../../canonical/json.ts';
import { malformed } from '../checking.ts';
import type { ModelFacts } from '../dialect.ts';
import type { CheckedGenerate } from './check.ts';
import { THINKING_LEVELS } from './check-config.ts';
import { effortIn } from './decode-call.ts';

const TEMPERATURE_MAX = 2;
/** Maximum number of candidates of any model of this protocol. */
const CANDIDATES_MAX = 8;

const at = (name: string): string => `generationConfig.${name}`;

export function judge(checked: CheckedGenerate, model: ModelFacts): void {
  const { config, stream } = checked;
  const max = model.temperatureMax ?? TEMPERATURE_MAX;
  if ((numberAt(config, 'temperature') ?? 0) > max)
    throw malformed(at('temperature'), `must be at most ${max} for this model`);
  judgeCandidates(config, stream, model);
  judgeThinking(objectAt(config, 'thinkingConfig'), model);
  const offered = model.outputModalities ?? ['text'];
  for (const modality of ['IMAGE', 'AUDIO'])
    if (arrayAt(config, 'responseModalities').includes(modality) && !offered.includes(modality.toLowerCase()))
      throw malformed(at('responseModalities'), `may not hold ${modality} for this model`);
  const ratio = stringAt(objectAt(config, 'imageConfig'), 'aspectRatio');
  if (ratio !== undefined && model.aspectRatios?.includes(ratio) === false)
    throw malformed(at('imageConfig.aspectRatio'), `must be one of ${model.aspectRatios.join(', ')} for this model`);
  judgeResolution(checked, model);
}

function judgeCandidates(config: JsonObject, stream: boolean, model: ModelFacts): void {
  const wanted = numberAt(config, 'candidateCount') ?? 1;
  const max = model.candidatesMax ?? CANDIDATES_MAX;
  if (wanted > max) throw malformed(at('candidateCount'), `must be at most ${max} for this model`);
  if (wanted > 1 && stream && model.candidatesInStream !== true)
    throw malformed(at('candidateCount'), 'must be 1 when this model streams');
}

function judgeThinking(thinking: JsonObject | undefined, { thinking: facts }: ModelFacts): void {
  if (thinking === undefined) return;
  if (facts.kind === 'none') throw malformed(at('thinkingConfig'), 'is not offered: this model does not think');
  const effort = effortIn(thinking);
  if (effort !== undefined && (facts.kind === 'budget' || facts.levels.length > 0) && !facts.levels.includes(effort)) {
    // Models of other vendors have levels that this protocol does not define.
    const allowed = facts.levels.map((level) => level.toUpperCase()).filter((level) => THINKING_LEVELS.has(level));
    throw malformed(
      at('thinkingConfig.thinkingLevel'),
      allowed.length > 0
        ? `must be one of ${allowed.join(', ')} for this model`
        : 'is not offered for this model; give a thinkingBudget',
    );
  }
  judgeBudget(numberAt(thinking, 'thinkingBudget'), facts);
}

/** -1 lets the model decide, on every model that thinks. */
function judgeBudget(budget: number | undefined, facts: ModelFacts['thinking']): void {
  if (budget === undefined || budget === -1 || facts.kind !== 'budget') return;
  if (budget === 0 && facts.canDisable) return;
  const { budgetMin = 1, budgetMax = Number.POSITIVE_INFINITY } = facts;
  if (budget >= budgetMin && budget <= budgetMax) return;
  const range =
    budgetMax === Number.POSITIVE_INFINITY ? `at least ${budgetMin}` : `between ${budgetMin} and ${budgetMax}`;
  throw malformed(
    at('thinkingConfig.thinkingBudget'),
    `must be -1${facts.canDisable ? ', 0' : ''} or ${range} for this model`,
  );
}

/** The newest generation: it supports the highest media resolution, and counts an image by the requested one. */
export const readsAtResolution = (model: ModelFacts): boolean =>
  model.ultraMediaResolution ?? model.thinking.kind === 'level';

function judgeResolution({ config, traits }: CheckedGenerate, model: ModelFacts): void {
  if (readsAtResolution(model)) return;
  if (config['mediaResolution'] === 'MEDIA_RESOLUTION_ULTRA_HIGH')
    throw malformed(at('mediaResolution'), 'may not be ULTRA_HIGH for this model');
  if (traits.ultraResolution !== undefined)
    throw malformed(traits.ultraResolution, 'may not be ULTRA_HIGH for this model');
}
