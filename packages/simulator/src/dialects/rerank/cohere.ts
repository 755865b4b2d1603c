// Cohere's second version of reranking: strict about members, billed in search units, documents are not repeated. Azure
// has it below a path of its own.
import { parseObject } from '../../json-text.ts';
import { asNumber, asText, type JsonRecord } from '../../json-value.ts';
import type { VendorRequest } from '../../wire.ts';
import type { DialectOptions, Reply, SimulatedDialect, StatusFault, UnderstoodRequest } from '../dialect.ts';
import { withBearer } from '../openai-chat/azure.ts';
import { json, replyOnly } from '../replies.ts';
import { Shapes } from '../shape-check.ts';
import { ranked, unitsOf } from './scores.ts';

const shapes = new Shapes(
  `Rerank = { model: text(1..), query: text(1..), documents: [chars](1..10000), top_n?: int(1..),
    max_tokens_per_doc?: int(1..), priority?: int(0..999) }`,
);

const MODELS = /^rerank-(?:v3\.5|v4\.0-(?:pro|fast)|english-v3\.0|multilingual-v3\.0)$/u;

const AZURE_PATH = /^\/providers\/cohere\/v2\/rerank$/u;

export const cohereRerank: SimulatedDialect = {
  name: 'cohere-rerank',
  vendors: ['cohere', 'azure'],
  paths: [/^\/v2\/rerank$/u, AZURE_PATH],
  understand,
};

const renderer = replyOnly(errorReply);

function understand(request: VendorRequest, options: DialectOptions): UnderstoodRequest {
  const isAzure = request.vendor === 'azure';
  if (isAzure !== AZURE_PATH.test(request.path)) return refused(404, 'Resource not found');
  const bearer = isAzure ? withBearer(request.headers).authorization : request.headers['authorization'];
  const credential = /^Bearer (.+)$/u.exec(bearer ?? '')?.[1];
  if (credential === undefined || (options.credential !== undefined && credential !== options.credential))
    return refused(401, 'invalid api token');
  const body = parseObject(request.body);
  if (body === undefined) return refused(400, 'invalid request: failed to parse body');
  const problem = options.lenient ? undefined : problemOf(body);
  if (problem !== undefined) return refused(...problem, body);
  const model = asText(body['model']);
  const query = asText(body['query']);
  const documents = (body['documents'] as unknown[]).map(asText);
  const results = ranked(model, query, documents)
    .slice(0, asNumber(body['top_n']) ?? documents.length)
    .map(({ index, score }) => ({ index, relevance_score: score }));
  const units = unitsOf(query, documents);
  const meta = { api_version: { version: '2' }, billed_units: { search_units: units } };
  const reply = json(200, { id: '07734bd2-2473-4f07-94e1-0d9f0e6843cf', results, meta });
  return { kind: 'reply', reply, renderer, body, model, promptTokens: units };
}

function problemOf(body: JsonRecord): readonly [status: number, message: string] | undefined {
  const problem = shapes.first('Rerank', body, false);
  if (problem !== undefined) {
    const path = problem.path.join('.');
    const what =
      problem.kind === 'unknown' ? `unknown field: parameter '${path}' is not a valid field` : `${path} is not valid`;
    return [problem.kind === 'unknown' ? 422 : 400, `invalid request: ${what}`];
  }
  if (!MODELS.test(asText(body['model']))) return [404, `model '${asText(body['model'])}' not found`];
  return undefined;
}

const refusal = (status: number, message: string): Reply =>
  json(status, { id: '5f2a7bb0-6b1e-4f0e-8f0e-1d1f6f1f0e11', message });

const refused = (status: number, message: string, body: unknown = undefined): UnderstoodRequest => ({
  kind: 'refused',
  reply: refusal(status, message),
  reason: message,
  body,
});

const MESSAGES: Readonly<Record<number, string>> = {
  401: 'invalid api token',
  429: 'You are using a Trial key, which is limited to 10 API calls / minute.',
  500: 'internal server error',
  503: 'service unavailable',
};

function errorReply({ status, retryAfterS }: StatusFault): Reply {
  const { headers, ...reply } = refusal(status, MESSAGES[status] ?? 'request failed');
  return {
    ...reply,
    headers: { ...headers, ...(retryAfterS !== undefined && { 'retry-after': String(retryAfterS) }) },
  };
}
