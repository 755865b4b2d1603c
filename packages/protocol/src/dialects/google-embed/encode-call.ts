/** Canonical call → a request to an upstream of this dialect, in the host's form for several inputs. */
import type { EmbedCall, EmbedInput, EmbedText } from '../../canonical/embedding.ts';
import type { EmbedLoss } from '../../canonical/fields.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { LossList } from '../../passes/loss-list.ts';
import type { EncodedCall, TargetFacts } from '../dialect.ts';
import { refuseInput } from '../embedding-input.ts';
import { type EmbedQuirks, quirksOf } from './quirks.ts';
import { TASK_WORDS } from './settings.ts';

export function encodeCall(call: EmbedCall, target: TargetFacts): EncodedCall<EmbedLoss> {
  const quirks = quirksOf(target);
  checkInputCount(call.inputs.length, quirks);
  const losses: LossList<EmbedLoss['field']> = new LossList();
  if (Object.keys(call.extras).length > 0) losses.add('extras');
  if (quirks.form === 'predict') return { body: predict(call), losses: losses.all };
  if (call.truncate !== undefined) losses.add('embed.truncate');
  return { body: batch(call, target.upstreamModel), losses: losses.all };
}

export function checkInputCount(inputs: number, { inputsMax }: EmbedQuirks): void {
  if (inputs > inputsMax) throw refuseInput(`has more than the ${inputsMax} inputs this model takes at once`);
}

const batch = ({ inputs, dimensions }: EmbedCall, upstreamModel: string): JsonObject => ({
  requests: inputs.map((input) => {
    const { texts, task, title } = textOf(input);
    return {
      model: `models/${upstreamModel}`,
      content: { parts: texts.map((text) => ({ text })) },
      ...(task !== undefined && { taskType: TASK_WORDS[task] }),
      ...(title !== undefined && { title }),
      ...(dimensions !== undefined && { outputDimensionality: dimensions }),
    };
  }),
});

function predict({ inputs, dimensions, truncate }: EmbedCall): JsonObject {
  const instances = inputs.map((input) => {
    const { texts, task, title } = textOf(input);
    const [content = '', ...more] = texts;
    if (more.length > 0) throw refuseInput('holds several parts, which this model cannot read as one');
    return {
      content,
      ...(task !== undefined && { task_type: TASK_WORDS[task] }),
      ...(title !== undefined && { title }),
    };
  });
  const parameters = {
    ...(dimensions !== undefined && { outputDimensionality: dimensions }),
    ...(truncate !== undefined && { autoTruncate: truncate }),
  };
  return { instances, ...(Object.keys(parameters).length > 0 && { parameters }) };
}

function textOf(input: EmbedInput): EmbedText {
  if (input.kind === 'text') return input;
  throw refuseInput('holds token ids, which this model cannot read');
}
