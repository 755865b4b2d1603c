// The other hosts of reranking: each with its own members, answer, and wording of errors.
import { parseObject } from '../../json-text.ts';
import { asNumber, asText, type JsonRecord } from '../../json-value.ts';
import type { VendorRequest } from '../../wire.ts';
import type { Reply, SimulatedDialect, UnderstoodRequest } from '../dialect.ts';
import { json, replyOnly } from '../replies.ts';
import { Shapes } from '../shape-check.ts';
import { type Ranked, ranked, tokensOf } from './scores.ts';

interface Host {
  readonly vendor: string;
  readonly path: RegExp;
  readonly shape: string;
  readonly credential: 'needed' | 'none';
  readonly read: (body: JsonRecord) => {
    readonly model: string;
    readonly query: string;
    readonly documents: readonly string[];
    readonly most?: number | undefined;
  };
  readonly answer: (asked: Asked) => object;
  readonly error: (status: number, message: string) => object;
}

type Asked = {
  readonly body: JsonRecord;
  readonly model: string;
  readonly documents: readonly string[];
  readonly scores: readonly Ranked[];
  readonly tokens: number;
};

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(asText) : []);
const plain = (body: JsonRecord) => ({
  model: asText(body['model']),
  query: asText(body['query']),
  documents: texts(body['documents']),
});

const voyage: Host = {
  vendor: 'voyage',
  path: /^\/v1\/rerank$/u,
  shape: `{ model: 'rerank-2.5' | 'rerank-2.5-lite' | 'rerank-2', query: text(1..), documents: [text](1..1000),
    top_k?: int(1..), return_documents?: flag, truncation?: flag }`,
  credential: 'needed',
  read: (body) => ({ ...plain(body), most: asNumber(body['top_k']) }),
  answer: ({ body, model, documents, scores, tokens }) => ({
    object: 'list',
    data: scores.map(({ index, score }) => ({
      relevance_score: score,
      index,
      ...(body['return_documents'] === true && { document: documents[index] }),
    })),
    model,
    usage: { total_tokens: tokens },
  }),
  error: (_status, message) => ({ detail: message }),
};

const jina: Host = {
  vendor: 'jina',
  path: /^\/v1\/rerank$/u,
  shape: `{ model: text(1..), query: text(1..), documents: [text](1..2048), top_n?: int(1..),
    return_documents?: flag, truncation?: flag }`,
  credential: 'needed',
  read: (body) => ({ ...plain(body), most: asNumber(body['top_n']) }),
  answer: ({ body, model, documents, scores, tokens }) => ({
    model,
    object: 'list',
    usage: { total_tokens: tokens },
    results: scores.map(({ index, score }) => ({
      index,
      relevance_score: score,
      ...(body['return_documents'] !== false && { document: { text: documents[index] } }),
    })),
  }),
  error: (_status, message) => ({ detail: message }),
};

/** As vLLM: any model, documents always in the answer, 0 is all. */
const vllm: Host = {
  vendor: 'vllm',
  path: /^\/(?:v1\/|v2\/)?rerank$/u,
  shape: `open { model: text(1..), query: text(1..), documents: [text](1..), top_n?: int(0..) }`,
  credential: 'none',
  read: (body) => ({ ...plain(body), most: asNumber(body['top_n']) || undefined }),
  answer: ({ model, documents, scores, tokens }) => ({
    id: 'score-1',
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
    results: scores.map(({ index, score }) => ({
      index,
      document: { text: documents[index], multi_modal: null },
      relevance_score: score,
    })),
  }),
  error: (status, message) => ({ error: { message, type: 'BadRequestError', param: null, code: status } }),
};

/** As llama-server: in the order of the documents. */
const llama: Host = {
  ...vllm,
  vendor: 'llama',
  answer: ({ model, scores, tokens }) => ({
    model,
    object: 'list',
    usage: { prompt_tokens: tokens, total_tokens: tokens },
    results: scores
      .toSorted((one, other) => one.index - other.index)
      .map(({ index, score }) => ({ index, relevance_score: score })),
  }),
};

const tei: Host = {
  vendor: 'tei',
  path: /^\/rerank$/u,
  shape: `{ query: text(1..), texts: [text](1..), raw_scores?: flag, return_text?: flag, truncate?: flag }`,
  credential: 'none',
  read: (body) => ({ model: 'tei', query: asText(body['query']), documents: texts(body['texts']) }),
  answer: ({ scores }) => scores.map(({ index, score }) => ({ index, score })),
  error: (status, message) => ({ error: message, error_type: status === 413 ? 'Validation' : 'Tokenizer' }),
};

const asObject = (value: unknown): JsonRecord =>
  typeof value === 'object' && value !== null ? (value as JsonRecord) : {};

const bedrock: Host = {
  vendor: 'bedrock-agent',
  path: /^\/rerank$/u,
  shape: `{ queries: [{ type: 'TEXT', textQuery: { text: text(1..) } }](1..1),
    sources: [{ type: 'INLINE', inlineDocumentSource: { type: 'TEXT', textDocument: { text: text(1..) } } }](1..1000),
    rerankingConfiguration: { type: 'BEDROCK_RERANKING_MODEL', bedrockRerankingConfiguration:
      { numberOfResults: int(1..1000), modelConfiguration: { modelArn: text(/^arn:aws/) } } } }`,
  credential: 'needed',
  read: (body) => {
    const configuration = asObject(asObject(body['rerankingConfiguration'])['bedrockRerankingConfiguration']);
    const [query] = Array.isArray(body['queries']) ? body['queries'] : [];
    const sources: readonly unknown[] = Array.isArray(body['sources']) ? body['sources'] : [];
    return {
      model: asText(asObject(configuration['modelConfiguration'])['modelArn']),
      query: asText(asObject(asObject(query)['textQuery'])['text']),
      documents: sources.map((each) =>
        asText(asObject(asObject(asObject(each)['inlineDocumentSource'])['textDocument'])['text']),
      ),
      most: asNumber(configuration['numberOfResults']),
    };
  },
  answer: ({ scores }) => ({ results: scores.map(({ index, score }) => ({ index, relevanceScore: score })) }),
  error: (_status, message) => ({ message }),
};

const reply = (host: Host, status: number, message: string): Reply => json(status, host.error(status, message));

function dialectOf(host: Host): SimulatedDialect {
  const shapes = new Shapes(`Rerank = ${host.shape}`);
  const renderer = replyOnly(({ status }) => reply(host, status, 'The request failed.'));
  const refused = (status: number, message: string, body?: unknown): UnderstoodRequest => ({
    kind: 'refused',
    reply: reply(host, status, message),
    reason: message,
    body,
  });
  const understand = (request: VendorRequest): UnderstoodRequest => {
    const given = request.headers['authorization'] ?? '';
    if (host.credential === 'needed' && !/^(?:Bearer |AWS4-HMAC-SHA256 )/u.test(given))
      return refused(401, 'Provided API key is invalid.');
    const body = parseObject(request.body);
    if (body === undefined) return refused(400, 'The body is not JSON.');
    const problem = shapes.first('Rerank', body, false);
    if (problem !== undefined)
      return refused(host.vendor === 'tei' ? 422 : 400, `${problem.path.join('.')} is not valid`, body);
    const { model, query, documents, most = documents.length } = host.read(body);
    const all = ranked(model, query, documents).slice(0, most);
    const tokens = tokensOf(query, documents);
    const answer = host.answer({ body, model, documents, scores: all, tokens });
    return { kind: 'reply', reply: json(200, answer), renderer, body, model, promptTokens: tokens };
  };
  return { name: `${host.vendor}-rerank`, vendors: [host.vendor], paths: [host.path], understand };
}

export const otherHosts: readonly SimulatedDialect[] = [voyage, jina, vllm, llama, tei, bedrock].map(dialectOf);
