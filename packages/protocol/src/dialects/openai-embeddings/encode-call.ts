/**
 * Canonical call → a request to an upstream of this dialect. It omits `encoding_format`, so hosts answer with
 * numbers: the gateway itself encodes base64 for callers.
 */
import type { EmbedCall, EmbedInput } from '../../canonical/embedding.ts';
import type { EmbedLoss } from '../../canonical/fields.ts';
import type { Json } from '../../canonical/json.ts';
import { LossList } from '../../passes/loss-list.ts';
import type { EncodedCall, TargetFacts } from '../dialect.ts';
import { refuseInput } from '../embedding-input.ts';
import { type EmbeddingsQuirks, quirksOf } from './quirks.ts';

export function encodeCall(call: EmbedCall, target: TargetFacts): EncodedCall<EmbedLoss> {
  const quirks = quirksOf(target);
  const { inputs, dimensions, extras } = call;
  const body: Record<string, Json> = { ...extras['openai-embeddings'], model: target.upstreamModel };
  checkInputCount(inputs, quirks);
  body['input'] = inputs.map((input) => encodeInput(input, quirks));
  if (dimensions !== undefined) body[dimensionsMember(quirks)] = dimensions;
  return { body, losses: lossesOf(call) };
}

export function checkInputCount(inputs: readonly EmbedInput[], { inputsMax }: EmbeddingsQuirks): void {
  if (inputs.length > inputsMax) throw refuseInput(`has more than the ${inputsMax} inputs this model takes at once`);
}

export function dimensionsMember({ dimensionsField }: EmbeddingsQuirks): string {
  if (dimensionsField === 'none') throw refuseInput('cannot be made into vectors of another length here', 'dimensions');
  return dimensionsField;
}

function encodeInput(input: EmbedInput, { tokenInput }: EmbeddingsQuirks): Json {
  if (input.kind === 'tokens') {
    if (!tokenInput) throw refuseInput('holds token ids, which this model cannot read');
    return input.tokens;
  }
  const [text = '', ...more] = input.texts;
  if (more.length > 0) throw refuseInput('holds several parts, which this model cannot read as one');
  return text;
}

function lossesOf({ inputs, truncate, extras }: EmbedCall): readonly EmbedLoss[] {
  const losses: LossList<EmbedLoss['field']> = new LossList();
  const texts = inputs.filter((input) => input.kind === 'text');
  if (texts.some(({ task }) => task !== undefined)) losses.add('input.task');
  if (texts.some(({ title }) => title !== undefined)) losses.add('input.title');
  if (truncate !== undefined) losses.add('embed.truncate');
  const others = Object.keys(extras).filter((dialect) => dialect !== 'openai-embeddings');
  if (others.length > 0) losses.add('extras');
  return losses.all;
}
