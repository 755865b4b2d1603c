/** Embeddings of the generative-content protocol: `:embedContent`, `:batchEmbedContents`, and `:predict` of texts. */
import type { EmbedCall } from '../../canonical/embedding.ts';
import type { EmbedLoss } from '../../canonical/fields.ts';
import { GatewayError } from '../../canonical/gateway-error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import { estimateEmbedTokens } from '../../passes/estimate-tokens.ts';
import type { AnswerContext, Reading, RequestHead, TargetFacts, VerbatimRequest } from '../dialect.ts';
import { judgeDimensions, NO_TEXT_OPTIONS, WRONG_COUNT } from '../embedding-input.ts';
import type { EmbedDialect, EmbedUnderstanding } from '../media-dialects.ts';
import { decodeRpcFault } from '../upstream-errors.ts';
import { decodeAnswer, encodeAnswer, readUsage } from './answer.ts';
import { type CheckedEmbed, checkEmbed } from './check.ts';
import { checkInputCount, encodeCall } from './encode-call.ts';
import { COMMON_EMBED, quirksOf } from './quirks.ts';
import { spelling, stances } from './stances.ts';

function understand(body: JsonObject, head?: RequestHead): EmbedUnderstanding {
  const checked = checkEmbed(body, head);
  const { form, model, inputs, dimensions } = checked;
  let call: EmbedCall | undefined;
  const estimatedTokens = estimateEmbedTokens(inputs);
  return {
    model,
    stream: false,
    responseOptions: { ...NO_TEXT_OPTIONS, embed: { encoding: 'float', form, inputs: inputs.length, estimatedTokens } },
    losses: [],
    media: [],
    maxOutputTokens: undefined,
    metadata: undefined,
    judge: (facts) => judgeDimensions(dimensions, 'outputDimensionality', facts),
    call: () => (call ??= callOf(checked)),
    verbatim: (target) => verbatimRequest(checked, target),
  };
}

const callOf = ({ model, inputs, dimensions, truncate, extras }: CheckedEmbed): EmbedCall => ({
  operation: 'embed',
  model,
  inputs,
  ...(dimensions !== undefined && { dimensions }),
  ...(truncate !== undefined && { truncate }),
  extras: Object.keys(extras).length === 0 ? {} : { 'google-embed': extras },
});

/** Only `:predict` names the model in the path alone, so only there the text can stay unchanged. */
function verbatimRequest({ form, inputs }: CheckedEmbed, target: TargetFacts): VerbatimRequest<EmbedLoss> {
  const quirks = quirksOf(target);
  if (form !== 'predict' || quirks.form !== 'predict') return { why: `${form} is rebuilt for each host` };
  checkInputCount(inputs.length, quirks);
  return { edits: [], losses: [] };
}

function readAnswer(body: Json, { responseOptions: { embed } }: AnswerContext): Reading {
  const { usage, inputs } = readUsage(isJsonObject(body) ? body : {});
  if (embed !== undefined && inputs !== embed.inputs) throw new GatewayError(WRONG_COUNT);
  const patch = { kind: 'pass', edits: [] } as const;
  if (usage.prompt !== undefined) return { patch, usage };
  return { patch, usage: { prompt: embed?.estimatedTokens ?? 0 }, usageEstimated: true };
}

export const googleEmbed: EmbedDialect = {
  id: 'google-embed',
  operation: 'embed',
  stances,
  quirks: (own) => ({ ...COMMON_EMBED, ...own }),
  server: { understand, encodeAnswer, spelling },
  client: { encodeCall, decodeAnswer, decodeFault: decodeRpcFault, sealRefusals: [] },
  verbatim: { answer: readAnswer },
};
