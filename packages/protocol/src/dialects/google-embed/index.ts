/** Embeddings of the generative-content protocol: `:embedContent`, `:batchEmbedContents`, and `:predict` of texts. */

import type { EmbedAnswer, EmbedCall, EmbedInput, EmbedText, EmbedVector } from '../../canonical/embedding.ts';
import { type EmbedField, type EmbedLoss, type FieldTable, spellingIn, stancesIn } from '../../canonical/fields.ts';
import { GatewayError } from '../../canonical/gateway-error.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, numberAt, objectAt } from '../../canonical/json.ts';
import type { Loss } from '../../canonical/loss.ts';
import { inputTokens, type Usage } from '../../canonical/usage.ts';
import { estimateEmbedTokens } from '../../passes/estimate-tokens.ts';
import { LossList } from '../../passes/loss-list.ts';
import type {
  AnswerContext,
  EncodedAnswer,
  EncodedCall,
  Reading,
  RequestHead,
  TargetFacts,
  VerbatimRequest,
} from '../dialect.ts';
import {
  type EmbedDialect,
  type EmbedUnderstanding,
  judgeDimensions,
  NO_TEXT_OPTIONS,
  refuseInput,
  vectorOf,
  WRONG_COUNT,
} from '../media-dialects.ts';
import { decodeRpcFault } from '../upstream-errors.ts';
import { type CheckedEmbed, checkEmbed } from './check.ts';
import { TASK_WORDS } from './settings.ts';

// How one host's embeddings differ from the format's home: a closed, flat record, read by this folder only.

export interface EmbedQuirks {
  /** The form that takes several inputs at once: `batch` is `:batchEmbedContents`, `predict` is `:predict`. */
  readonly form: 'batch' | 'predict';
  /** Maximum number of inputs per call. */
  readonly inputsMax: number;
}

const COMMON_EMBED: EmbedQuirks = { form: 'batch', inputsMax: 100 };

/** The quirks of a target that speaks this dialect. */
const quirksOf = ({ quirks }: { readonly quirks: object }): EmbedQuirks =>
  'form' in quirks ? (quirks as EmbedQuirks) : COMMON_EMBED;

// The handling of each field for an upstream of this dialect, and its name for callers.

const fields: FieldTable<EmbedField> = {
  'input.text': ['native', 'content'],
  'input.tokens': ['refused', 'content'],
  'input.parts': ['native', 'content.parts'],
  'input.task': ['native', 'taskType'],
  'input.title': ['native', 'title'],
  'embed.dimensions': ['native', 'outputDimensionality'],
  'embed.truncate': ['dropped', 'autoTruncate'],
  extras: ['dropped', 'extra fields'],
};
const [stances, spelling] = [stancesIn(fields), spellingIn(fields)];

// Canonical call → a request to an upstream of this dialect, in the host's form for several inputs.

function encodeCall(call: EmbedCall, target: TargetFacts): EncodedCall<EmbedLoss> {
  const quirks = quirksOf(target);
  checkInputCount(call.inputs.length, quirks);
  const losses: LossList<EmbedLoss['field']> = new LossList();
  if (Object.keys(call.extras).length > 0) losses.add('extras');
  if (quirks.form === 'predict') return { body: predict(call), losses: losses.all };
  if (call.truncate !== undefined) losses.add('embed.truncate');
  return { body: batch(call, target.upstreamModel), losses: losses.all };
}

function checkInputCount(inputs: number, { inputsMax }: EmbedQuirks): void {
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

// Answers in both directions. Upstream answers may have any of the forms; callers get the one they used.

const NO_VECTORS = { kind: 'upstream-broken', message: 'The upstream provider sent no vectors.' } as const;

function decodeAnswer(body: Json): EmbedAnswer {
  const wire = isJsonObject(body) ? body : {};
  const vectors = embeddingsIn(wire).map(decodeVector);
  if (vectors.length === 0) throw new GatewayError(NO_VECTORS);
  return { vectors, usage: usageOf(wire, vectors) };
}

function embeddingsIn(wire: JsonObject): readonly JsonObject[] {
  const single = objectAt(wire, 'embedding');
  if (single !== undefined) return [single];
  const predicted = arrayAt(wire, 'predictions').map((each) =>
    isJsonObject(each) ? (each['embeddings'] ?? null) : null,
  );
  return (predicted.length > 0 ? predicted : arrayAt(wire, 'embeddings')).filter(isJsonObject);
}

function decodeVector(embedding: JsonObject): EmbedVector {
  const statistics = objectAt(embedding, 'statistics');
  const tokens = countOf(numberAt(statistics, 'token_count') ?? numberAt(statistics, 'tokenCount'));
  return {
    values: vectorOf(embedding['values']),
    ...(tokens !== undefined && { inputTokens: tokens }),
    ...(statistics?.['truncated'] === true && { truncated: true }),
  };
}

const countOf = (count: number | undefined): number | undefined =>
  count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : undefined;

/** One count for all, or one per input; empty if the host reports neither. */
function usageOf(wire: JsonObject, vectors: readonly EmbedVector[]): Usage {
  const total = countOf(numberAt(objectAt(wire, 'usageMetadata'), 'promptTokenCount'));
  if (total !== undefined) return { prompt: total };
  let prompt = 0;
  for (const { inputTokens: tokens } of vectors) {
    if (tokens === undefined) return {};
    prompt += tokens;
  }
  return { prompt };
}

/** Usage only, for answers that are passed on unchanged. */
const readUsage = (wire: JsonObject): { readonly usage: Usage; readonly inputs: number } => {
  const embeddings = embeddingsIn(wire);
  return { usage: usageOf(wire, embeddings.map(decodeVector)), inputs: embeddings.length };
};

const TOKEN_COUNT = 'predictions.embeddings.statistics.token_count';

function encodeAnswer({ vectors, usage }: EmbedAnswer, context: AnswerContext): EncodedAnswer {
  const total = inputTokens(usage);
  const usageMetadata = { promptTokenCount: total, totalTokenCount: total };
  switch (context.responseOptions.embed?.form) {
    case 'predict': {
      const known = vectors.every(({ inputTokens: tokens }) => tokens !== undefined);
      const losses: Loss[] = known || vectors.length === 1 ? [] : [{ path: TOKEN_COUNT, why: 'approximated' }];
      return { body: { predictions: predictionsOf(vectors, total) }, losses };
    }
    case 'batchEmbedContents':
      return { body: { embeddings: vectors.map(({ values }) => ({ values })), usageMetadata }, losses: [] };
    default:
      return { body: { embedding: { values: vectors[0]?.values ?? [] }, usageMetadata }, losses: [] };
  }
}

/** Clients add these counts up, so if only the sum is known it is split evenly: at least the sum is right. */
function predictionsOf(vectors: readonly EmbedVector[], total: number): readonly JsonObject[] {
  const share = Math.floor(total / vectors.length);
  return vectors.map(({ values, inputTokens: tokens, truncated = false }, position) => ({
    embeddings: {
      values,
      statistics: {
        token_count: tokens ?? share + (position === 0 ? total - share * vectors.length : 0),
        truncated,
      },
    },
  }));
}

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
