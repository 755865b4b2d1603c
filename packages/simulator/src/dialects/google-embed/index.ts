// Google's embeddings: `google` simulates the Gemini API's two forms, `vertex` simulates `:predict` and
// `:embedContent`.
import { parseObject } from '../../json-text.ts';
import { asNumber, asRecord, asRecords, asText, type JsonRecord, textsOf } from '../../json-value.ts';
import { countWords, makeVector } from '../../vectors.ts';
import type { VendorRequest } from '../../wire.ts';
import type { DialectOptions, SimulatedDialect, UnderstoodRequest } from '../dialect.ts';
import { checkCredential } from '../google-generate/check.ts';
import { type GenerateRefusal, invalid } from '../google-generate/refusal.ts';
import { inCamelCase } from '../google-generate/spelling.ts';
import { refused, statusReply } from '../google-generate/status-replies.ts';
import { decodeSegment } from '../judgement.ts';
import { json, replyOnly } from '../replies.ts';
import { checkBody, DIMENSIONS, type EmbedAddress } from './check.ts';

const GEMINI = /^\/v1(?:beta)?\/models\/(.+):(embedContent|batchEmbedContents)$/u;
const VERTEX =
  /^\/v1(?:beta1)?\/(?:projects\/[^/]+\/locations\/[^/]+\/)?publishers\/google\/models\/(.+):(embedContent|predict)$/u;
const HEADERS = { 'content-type': 'application/json; charset=UTF-8' } as const;

export const googleEmbed: SimulatedDialect = {
  name: 'google-embed',
  vendors: ['google', 'vertex'],
  paths: [GEMINI, VERTEX],
  understand,
};

function addressOf({ vendor, path }: VendorRequest): EmbedAddress | undefined {
  const [, model, action] = (vendor === 'vertex' ? VERTEX : GEMINI).exec(path) ?? [];
  return action === undefined
    ? undefined
    : { model: decodeSegment(model ?? ''), action: action as EmbedAddress['action'] };
}

const NOT_FOUND: GenerateRefusal = { code: 404, status: 'NOT_FOUND', message: 'Requested entity was not found.' };

function understand(request: VendorRequest, options: DialectOptions): UnderstoodRequest {
  const address = addressOf(request);
  if (address === undefined || request.method !== 'POST') return refused(NOT_FOUND);
  const early = options.lenient ? undefined : checkCredential(request, options);
  if (early !== undefined) return refused(early);
  const given = parseObject(request.body);
  if (given === undefined) return refused(invalid('Invalid JSON payload received.'));
  const body = inCamelCase(given);
  const refusal = options.lenient ? undefined : checkBody(body, address);
  if (refusal !== undefined) return refused(refusal, given);
  const inputs = inputsOf(body, address);
  return {
    kind: 'reply',
    reply: json(200, answer(inputs, address), HEADERS),
    renderer: RENDERER,
    body: given,
    model: address.model,
    promptTokens: countWords(textsOf(inputs, 'text').join(' ')),
  };
}

interface Input {
  readonly text: string;
  /** Everything the vector depends on besides the model: the text, the task and the title. */
  readonly seed: string;
  readonly dimensions: number;
}

function inputsOf(body: JsonRecord, { action }: EmbedAddress): readonly Input[] {
  const isPredict = action === 'predict';
  const requests = action === 'embedContent' ? [body] : asRecords(body[isPredict ? 'instances' : 'requests']);
  return requests.map(({ content, taskType, title, outputDimensionality }) => {
    const parts = textsOf(asRecord(content)['parts'], 'text');
    const text = isPredict ? asText(content) : parts.join('\n');
    const dimensions = isPredict ? asRecord(body['parameters'])['outputDimensionality'] : outputDimensionality;
    const seed = [text, asText(taskType), asText(title)].filter((part) => part !== '').join('\n');
    return { text, seed, dimensions: asNumber(dimensions) ?? DIMENSIONS };
  });
}

/** The Gemini API reports no counts; Vertex counts each text. */
function answer(inputs: readonly Input[], { model, action }: EmbedAddress): object {
  const embeddings = inputs.map(({ seed, dimensions }) => ({ values: makeVector(model, seed, dimensions) }));
  if (action === 'embedContent') return { embedding: embeddings[0] };
  if (action === 'batchEmbedContents') return { embeddings };
  const predictions = embeddings.map((embedding, at) => ({
    embeddings: { ...embedding, statistics: { token_count: countWords(inputs[at]?.text ?? ''), truncated: false } },
  }));
  return { predictions, metadata: { billableCharacterCount: textsOf(inputs, 'text').join('').length } };
}

const RENDERER = replyOnly((fault) => statusReply(fault, false));
