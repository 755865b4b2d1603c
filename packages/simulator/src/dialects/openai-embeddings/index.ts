// OpenAI's embeddings, simulated by the vendor `openai` and, with fewer features, by `compatible`.
import { parseJsonBytes } from '../../json-text.ts';
import { asNumber, asText, isRecord, type JsonRecord } from '../../json-value.ts';
import { countWords, makeVector } from '../../vectors.ts';
import type {
  DialectOptions,
  Renderer,
  Reply,
  SimulatedDialect,
  UnderstoodRequest,
  VendorRequest,
} from '../dialect.ts';
import { firstOf } from '../judgement.ts';
import { checkContentType, checkCredential, checkMethod } from '../openai-chat/check.ts';
import { type ChatProfile, profileOf } from '../openai-chat/profiles.ts';
import { badRequest, type ChatRefusal } from '../openai-chat/refusal.ts';
import { refused, statusReply } from '../openai-chat/status-replies.ts';
import { checkBody } from './check.ts';
import { findEmbeddingFamily } from './models.ts';

const EMBEDDINGS = '/v1/embeddings';
const DEFAULT_DIMENSIONS = 16;

export const openaiEmbeddings: SimulatedDialect = {
  name: 'openai-embeddings',
  vendors: ['openai', 'compatible'],
  serves: (path) => path === EMBEDDINGS,
  understand,
};

function understand(request: VendorRequest, options: DialectOptions): UnderstoodRequest {
  const profile = profileOf(request.vendor);
  const refuse = (refusal: ChatRefusal, body?: unknown): UnderstoodRequest => refused(refusal, profile, body);
  const early = firstOf(
    () => checkMethod(request, 'POST'),
    () => (options.lenient ? undefined : checkCredential(request.headers, profile, options)),
    () => (options.lenient ? undefined : checkContentType(request.headers)),
  );
  if (early !== undefined) return refuse(early);
  const parsed = parseJsonBytes(request.body);
  if (!parsed.ok || !isRecord(parsed.value))
    return refuse(badRequest('We could not parse the JSON body of your request.', null));
  const body = parsed.value;
  const refusal = options.lenient ? undefined : checkBody(body, profile);
  if (refusal !== undefined) return refuse(refusal, body);
  const inputs = inputsOf(body['input']);
  const promptTokens = inputs.reduce((total, input) => total + input.tokens, 0);
  return {
    kind: 'reply',
    reply: answer(body, inputs, promptTokens, profile),
    renderer: rendererOf(profile),
    body,
    model: asText(body['model']),
    promptTokens,
  };
}

interface Input {
  readonly text: string;
  readonly tokens: number;
}

function inputsOf(input: unknown): readonly Input[] {
  if (typeof input === 'string') return [{ text: input, tokens: countWords(input) }];
  const list = Array.isArray(input) ? input : [];
  if (typeof list[0] === 'number') return [{ text: list.join(','), tokens: list.length }];
  return list.flatMap((each) => inputsOf(each));
}

function answer(body: JsonRecord, inputs: readonly Input[], promptTokens: number, profile: ChatProfile): Reply {
  const model = asText(body['model']);
  const dimensions =
    asNumber(body['dimensions']) ?? findEmbeddingFamily(model, profile.vendor)?.dimensions ?? DEFAULT_DIMENSIONS;
  const data = inputs.map(({ text }, index) => {
    const vector = makeVector(model, text, dimensions);
    return { object: 'embedding', index, embedding: body['encoding_format'] === 'base64' ? base64(vector) : vector };
  });
  const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens };
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...profile.answerHeaders },
    body: JSON.stringify({ object: 'list', data, model, usage }),
  };
}

function base64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * Float32Array.BYTES_PER_ELEMENT);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * Float32Array.BYTES_PER_ELEMENT);
  return bytes.toString('base64');
}

/** Vectors are not streamed: only errors need rendering. */
function rendererOf(profile: ChatProfile): Renderer {
  const nothing = { status: 500, headers: {}, body: '' };
  return {
    plain: () => nothing,
    streamHeaders: {},
    frames: () => [],
    errorReply: (fault) => statusReply(fault, profile),
    errorFrame: () => ({ kind: 'error', data: '', tokens: 0 }),
  };
}
