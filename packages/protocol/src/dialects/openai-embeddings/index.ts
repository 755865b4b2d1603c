/** Embeddings in the format of chat completions' home, both halves. */

import type { EmbedAnswer, EmbedCall, EmbedInput, EmbedVector } from '../../canonical/embedding.ts';
import { type EmbedField, type EmbedLoss, type FieldTable, spellingIn, stancesIn } from '../../canonical/fields.ts';
import { GatewayError } from '../../canonical/gateway-error.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, numberAt, objectAt } from '../../canonical/json.ts';
import { inputTokens, type Usage } from '../../canonical/usage.ts';
import { estimateEmbedTokens } from '../../passes/estimate-tokens.ts';
import { base64OfFloats } from '../../passes/float32.ts';
import { LossList } from '../../passes/loss-list.ts';
import { isGiven } from '../checking.ts';
import type {
  AnswerContext,
  Edit,
  EncodedAnswer,
  EncodedCall,
  Reading,
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
import { decodeApiFault } from '../upstream-errors.ts';
import { type CheckedEmbeddings, checkEmbeddings, decodeCall } from './check.ts';

// How one host's embeddings differ from the format's home: a closed, flat record, read by this folder only.

export interface EmbeddingsQuirks {
  /** `encoding_format: base64` is accepted. If false the member is never sent: every host's default is numbers. */
  readonly base64: boolean;
  /** The member for shorter vectors; `none` if not supported. */
  readonly dimensionsField: 'dimensions' | 'output_dimension' | 'none';
  /** Lists of token ids are accepted. */
  readonly tokenInput: boolean;
  /** Maximum number of inputs per call. */
  readonly inputsMax: number;
}

/** Defaults for a host: the common behaviour of compatible servers. */
const COMMON_EMBEDDINGS: EmbeddingsQuirks = {
  base64: false,
  dimensionsField: 'dimensions',
  tokenInput: true,
  inputsMax: 2048,
};

/** The quirks of a target that speaks this dialect. */
const quirksOf = ({ quirks }: { readonly quirks: object }): EmbeddingsQuirks =>
  'dimensionsField' in quirks ? (quirks as EmbeddingsQuirks) : COMMON_EMBEDDINGS;

// The handling of each field for an upstream of this dialect, and its name for callers.

const fields: FieldTable<EmbedField> = {
  'input.text': ['native', 'input'],
  'input.tokens': ['native', 'input'],
  'input.parts': ['refused', 'input'],
  'input.task': ['dropped', 'input'],
  'input.title': ['dropped', 'input'],
  'embed.dimensions': ['native', 'dimensions'],
  'embed.truncate': ['dropped', 'input'],
  extras: ['dropped', 'extra fields'],
};
const [stances, spelling] = [stancesIn(fields), spellingIn(fields)];

// Canonical call → a request to an upstream of this dialect. It omits `encoding_format`, so hosts answer with
// numbers: the gateway itself encodes base64 for callers.

function encodeCall(call: EmbedCall, target: TargetFacts): EncodedCall<EmbedLoss> {
  const quirks = quirksOf(target);
  const { inputs, dimensions, extras } = call;
  const body: Record<string, Json> = { ...extras['openai-embeddings'], model: target.upstreamModel };
  checkInputCount(inputs, quirks);
  body['input'] = inputs.map((input) => encodeInput(input, quirks));
  if (dimensions !== undefined) body[dimensionsMember(quirks)] = dimensions;
  return { body, losses: lossesOf(call) };
}

function checkInputCount(inputs: readonly EmbedInput[], { inputsMax }: EmbeddingsQuirks): void {
  if (inputs.length > inputsMax) throw refuseInput(`has more than the ${inputsMax} inputs this model takes at once`);
}

function dimensionsMember({ dimensionsField }: EmbeddingsQuirks): string {
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

// Answers in both directions: a list of vectors by index, and usage with the prompt only.

const NO_VECTORS = { kind: 'upstream-broken', message: 'The upstream provider sent no vectors.' } as const;

function decodeAnswer(body: Json): EmbedAnswer {
  const wire = isJsonObject(body) ? body : {};
  const data = arrayAt(wire, 'data').filter(isJsonObject);
  if (data.length === 0) throw new GatewayError(NO_VECTORS);
  const vectors = inOrder(data).map((entry) => ({ values: vectorOf(entry['embedding']) }));
  return { vectors, usage: readUsage(wire) };
}

/** By index if every vector has a distinct one; else in the order received. */
function inOrder(data: readonly JsonObject[]): readonly JsonObject[] {
  const places = new Map(data.map((entry) => [numberAt(entry, 'index'), entry]));
  const sorted = data.map((_, index) => places.get(index)).filter((entry) => entry !== undefined);
  return sorted.length === data.length ? sorted : data;
}

/** Some hosts report only the total, which is the same: embeddings have no output tokens. */
function readUsage(wire: JsonObject): Usage {
  const usage = objectAt(wire, 'usage');
  const prompt = numberAt(usage, 'prompt_tokens') ?? numberAt(usage, 'total_tokens');
  return prompt !== undefined && Number.isSafeInteger(prompt) && prompt >= 0 ? { prompt } : {};
}

function writeUsage(usage: Usage): JsonObject {
  const tokens = inputTokens(usage);
  return { prompt_tokens: tokens, total_tokens: tokens };
}

const encodeAnswer = ({ vectors, usage }: EmbedAnswer, context: AnswerContext): EncodedAnswer => ({
  body: {
    object: 'list',
    data: writeVectors(vectors, context.responseOptions.embed?.encoding === 'base64'),
    model: context.model,
    usage: writeUsage(usage),
  },
  losses: [],
});

const writeVectors = (vectors: readonly EmbedVector[], asBase64: boolean): readonly JsonObject[] =>
  vectors.map(({ values }, index) => ({
    object: 'embedding',
    index,
    embedding: asBase64 ? base64OfFloats(values) : values,
  }));

// Same dialect on both ends: the changes to the caller's request and to the upstream's answer.

const NULLABLE = ['encoding_format', 'dimensions'] as const;

function verbatimRequest({ wire, body, inputs }: CheckedEmbeddings, target: TargetFacts): VerbatimRequest<EmbedLoss> {
  const quirks = quirksOf(target);
  checkInputCount(inputs, quirks);
  if (wire.encoding_format === 'base64' && !quirks.base64) return { why: 'the host has no base64' };
  if (!quirks.tokenInput && inputs.some(({ kind }) => kind === 'tokens')) return { why: 'the host takes no token ids' };
  const edits: Edit[] = [{ name: 'model', value: JSON.stringify(target.upstreamModel) }];
  for (const name of NULLABLE) if (body[name] === null) edits.push({ name, value: undefined });
  if (body['user'] !== undefined) edits.push({ name: 'user', value: undefined });
  if (isGiven(wire.encoding_format) && !quirks.base64) edits.push({ name: 'encoding_format', value: undefined });
  if (isGiven(wire.dimensions)) {
    const renameTo = dimensionsMember(quirks);
    if (renameTo !== 'dimensions') edits.push({ name: 'dimensions', renameTo });
  }
  return { edits, losses: [] };
}

/** Vectors keep their form unless the host answered in another form than requested. */
function readAnswer(body: Json, context: AnswerContext): Reading {
  const wire = isJsonObject(body) ? body : {};
  const { embed } = context.responseOptions;
  const data = arrayAt(wire, 'data');
  const asBase64 = embed?.encoding === 'base64';
  const edits: Edit[] = [{ name: 'model', value: JSON.stringify(context.model) }];
  if (!data.every((entry) => isJsonObject(entry) && typeof entry['embedding'] === (asBase64 ? 'string' : 'object'))) {
    const { vectors } = decodeAnswer(body);
    edits.push({ name: 'data', value: JSON.stringify(writeVectors(vectors, asBase64)) });
  }
  if (embed !== undefined && data.length !== embed.inputs) throw new GatewayError(WRONG_COUNT);
  const reported = readUsage(wire);
  const usage = reported.prompt === undefined ? { prompt: embed?.estimatedTokens ?? 0 } : reported;
  const given = objectAt(wire, 'usage');
  if (given === undefined || given['prompt_tokens'] !== usage.prompt || given['total_tokens'] !== usage.prompt)
    edits.push({ name: 'usage', value: JSON.stringify(writeUsage(usage)) });
  if (wire['object'] !== 'list') edits.push({ name: 'object', value: '"list"' });
  return {
    patch: { kind: 'pass', edits },
    usage,
    ...(reported.prompt === undefined && { usageEstimated: true }),
  };
}

function understand(body: JsonObject): EmbedUnderstanding {
  const checked = checkEmbeddings(body);
  const { wire, inputs } = checked;
  let call: EmbedCall | undefined;
  return {
    model: wire.model,
    stream: false,
    responseOptions: {
      ...NO_TEXT_OPTIONS,
      embed: {
        encoding: wire.encoding_format ?? 'float',
        inputs: inputs.length,
        estimatedTokens: estimateEmbedTokens(inputs),
      },
    },
    losses: isGiven(wire.user) ? [{ path: 'user', why: 'not-forwarded' }] : [],
    media: [],
    maxOutputTokens: undefined,
    metadata: undefined,
    ...(typeof wire.user === 'string' && { user: wire.user }),
    judge: (model) => judgeDimensions(wire.dimensions ?? undefined, 'dimensions', model),
    call: () => (call ??= decodeCall(checked)),
    verbatim: (target) => verbatimRequest(checked, target),
  };
}

export const openaiEmbeddings: EmbedDialect = {
  id: 'openai-embeddings',
  operation: 'embed',
  stances,
  quirks: (own) => ({ ...COMMON_EMBEDDINGS, ...own }),
  server: { understand, encodeAnswer, spelling },
  client: { encodeCall, decodeAnswer, decodeFault: decodeApiFault, sealRefusals: [] },
  verbatim: { answer: readAnswer },
};
