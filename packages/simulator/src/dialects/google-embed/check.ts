// Validates one embedding request at Google: every form is strict, unknown names are refused.
import { asList, asRecords, type JsonRecord } from '../../json-value.ts';
import { type GenerateRefusal, invalid, violation, wordProblem } from '../google-generate/refusal.ts';
import { firstOf } from '../judgement.ts';
import { Shapes } from '../shape-check.ts';

export interface EmbedAddress {
  readonly model: string;
  readonly action: 'embedContent' | 'batchEmbedContents' | 'predict';
}

const MAX_BATCH = 100;
const MAX_INSTANCES = 250;
export const DIMENSIONS = 3072;

const shapes = new Shapes(`
  Task = 'TASK_TYPE_UNSPECIFIED' | 'RETRIEVAL_QUERY' | 'RETRIEVAL_DOCUMENT' | 'SEMANTIC_SIMILARITY' | 'CLASSIFICATION'
    | 'CLUSTERING' | 'QUESTION_ANSWERING' | 'FACT_VERIFICATION' | 'CODE_RETRIEVAL_QUERY'
  Content = { parts: [{ text: text(1..) }](1..), role?: text }
  Settings = { taskType?: Task, title?: text, outputDimensionality?: int(1..${DIMENSIONS}) }
  embedContent = { content: Content, model?: text, ...Settings }
  batchEmbedContents = { requests: [{ model: text, content: Content, ...Settings }](1..) }
  predict = {
    instances: [{ content: text(1..), taskType?: Task, title?: text }](1..),
    parameters?: { outputDimensionality?: int(1..${DIMENSIONS}), autoTruncate?: flag }
  }
`);

export function checkBody(body: JsonRecord, { model, action }: EmbedAddress): GenerateRefusal | undefined {
  const problem = shapes.first(action, body);
  if (problem !== undefined) return wordProblem(problem);
  if (!/^gemini-embedding-\d/u.test(model)) {
    const message = `models/${model} is not found for API version v1beta, or is not supported for ${action}.`;
    return { code: 404, status: 'NOT_FOUND', message };
  }
  if (asList(body['requests']).length > MAX_BATCH)
    return invalid('* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch\n');
  if (asList(body['instances']).length > MAX_INSTANCES) return invalid('The number of instances exceeds 250.');
  return firstOf(asRecords(body['requests'] ?? [body]), (request, at) => {
    if (request['model'] !== undefined && request['model'] !== `models/${model}`)
      return violation(['requests', at, 'model'], 'must match the model of the batch request');
    if (request['title'] !== undefined && request['taskType'] !== 'RETRIEVAL_DOCUMENT')
      return violation(['requests', at, 'title'], 'is only applicable when task_type is RETRIEVAL_DOCUMENT');
    return undefined;
  });
}
