// Google's embeddings: `google` simulates the Gemini API's two forms, `vertex` simulates `:predict` and
// `:embedContent`.
import { parseJsonBytes } from '../../json-text.ts';
import { asList, asNumber, asRecord, asText, isRecord, type JsonRecord } from '../../json-value.ts';
import { countWords, makeVector } from '../../vectors.ts';
import type { DialectOptions, Renderer, SimulatedDialect, UnderstoodRequest, VendorRequest } from '../dialect.ts';
import { checkCredential } from '../google-generate/check.ts';
import { type GenerateRefusal, invalid } from '../google-generate/refusal.ts';
import { inCamelCase } from '../google-generate/spelling.ts';
import { refused, statusReply } from '../google-generate/status-replies.ts';
import { decodeSegment } from '../judgement.ts';
import { checkBody, DIMENSIONS, type EmbedAddress } from './check.ts';

const GEMINI = /^\/v1(?:beta)?\/models\/(.+):(embedContent|batchEmbedContents)$/u;
const VERTEX =
  /^\/v1(?:beta1)?\/(?:projects\/[^/]+\/locations\/[^/]+\/)?publishers\/google\/models\/(.+):(embedContent|predict)$/u;
const HEADERS = { 'content-type': 'application/json; charset=UTF-8' } as const;

export const googleEmbed: SimulatedDialect = {
  name: 'google-embed',
  vendors: ['google', 'vertex'],
  serves: (path) => GEMINI.test(path) || VERTEX.test(path),
  understand,
};

function addressOf({ vendor, path }: VendorRequest): EmbedAddress | undefined {
  const match = (vendor === 'vertex' ? VERTEX : GEMINI).exec(path);
  const action = (['embedContent', 'batchEmbedContents', 'predict'] as const).find((one) => one === match?.[2]);
  return action === undefined ? undefined : { model: decodeSegment(match?.[1] ?? ''), action };
}

const NOT_FOUND: GenerateRefusal = { code: 404, status: 'NOT_FOUND', message: 'Requested entity was not found.' };

function understand(request: VendorRequest, options: DialectOptions): UnderstoodRequest {
  const address = addressOf(request);
  if (address === undefined || request.method !== 'POST') return refused(NOT_FOUND);
  const early = options.lenient ? undefined : checkCredential(request, options);
  if (early !== undefined) return refused(early);
  const parsed = parseJsonBytes(request.body);
  if (!parsed.ok || !isRecord(parsed.value)) return refused(invalid('Invalid JSON payload received.'));
  const body = inCamelCase(parsed.value);
  const refusal = options.lenient ? undefined : checkBody(body, address);
  if (refusal !== undefined) return refused(refusal, parsed.value);
  const inputs = inputsOf(body, address);
  return {
    kind: 'reply',
    reply: { status: 200, headers: HEADERS, body: JSON.stringify(answer(inputs, address)) },
    renderer: RENDERER,
    body: parsed.value,
    model: address.model,
    promptTokens: inputs.reduce((total, { text }) => total + countWords(text), 0),
  };
}

interface Input {
  readonly text: string;
  /** Everything the vector depends on besides the model: the text, the task and the title. */
  readonly seed: string;
  readonly dimensions: number;
}

function inputsOf(body: JsonRecord, { action }: EmbedAddress): readonly Input[] {
  if (action === 'predict') {
    const dimensions = asNumber(asRecord(body['parameters'])['outputDimensionality']) ?? DIMENSIONS;
    return asList(body['instances']).map((each) =>
      inputOf(asText(asRecord(each)['content']), asRecord(each), dimensions),
    );
  }
  const requests = action === 'batchEmbedContents' ? asList(body['requests']) : [body];
  return requests.map(asRecord).map((request) => {
    const parts = asList(asRecord(request['content'])['parts']);
    const text = parts.map((part) => asText(asRecord(part)['text'])).join('\n');
    return inputOf(text, request, asNumber(request['outputDimensionality']) ?? DIMENSIONS);
  });
}

const inputOf = (text: string, settings: JsonRecord, dimensions: number): Input => ({
  text,
  seed: [text, asText(settings['taskType']), asText(settings['title'])].filter((part) => part !== '').join('\n'),
  dimensions,
});

/** The Gemini API reports no counts; Vertex counts each text. */
function answer(inputs: readonly Input[], { model, action }: EmbedAddress): object {
  const embeddings = inputs.map(({ seed, dimensions }) => ({ values: makeVector(model, seed, dimensions) }));
  if (action === 'embedContent') return { embedding: embeddings[0] };
  if (action === 'batchEmbedContents') return { embeddings };
  const predictions = embeddings.map((embedding, at) => ({
    embeddings: { ...embedding, statistics: { token_count: countWords(inputs[at]?.text ?? ''), truncated: false } },
  }));
  return { predictions, metadata: { billableCharacterCount: inputs.reduce((sum, { text }) => sum + text.length, 0) } };
}

const RENDERER: Renderer = {
  plain: () => ({ status: 500, headers: {}, body: '' }),
  streamHeaders: {},
  frames: () => [],
  errorReply: (fault) => statusReply(fault, false),
  errorFrame: () => ({ kind: 'error', data: '', tokens: 0 }),
};
