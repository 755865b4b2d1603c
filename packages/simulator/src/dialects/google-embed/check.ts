// Validates one embedding request at Google: every form is strict, unknown names are refused.
import type { JsonRecord } from '../../json-value.ts';
import { asList, asRecord } from '../../json-value.ts';
import { type GenerateRefusal, invalid, violation, wordProblem } from '../google-generate/refusal.ts';
import { firstOf } from '../judgement.ts';
import { flag, integer, list, object, text, word } from '../shape-check.ts';

export interface EmbedAddress {
  readonly model: string;
  readonly action: 'embedContent' | 'batchEmbedContents' | 'predict';
}

const MAX_BATCH = 100;
const MAX_INSTANCES = 250;
export const DIMENSIONS = 3072;

const task = word(
  'TASK_TYPE_UNSPECIFIED',
  'RETRIEVAL_QUERY',
  'RETRIEVAL_DOCUMENT',
  'SEMANTIC_SIMILARITY',
  'CLASSIFICATION',
  'CLUSTERING',
  'QUESTION_ANSWERING',
  'FACT_VERIFICATION',
  'CODE_RETRIEVAL_QUERY',
);
const content = object({ parts: list(object({ text: text({ min: 1 }) }), { min: 1 }) }, { role: text() });
const settings = { taskType: task, title: text(), outputDimensionality: integer({ min: 1, max: DIMENSIONS }) };
const single = object({ content }, { model: text(), ...settings });
const batch = object({ requests: list(object({ model: text(), content }, settings), { min: 1 }) });
const predict = object(
  { instances: list(object({ content: text({ min: 1 }) }, { taskType: task, title: text() }), { min: 1 }) },
  { parameters: object({}, { outputDimensionality: settings.outputDimensionality, autoTruncate: flag }) },
);

const SHAPES = { embedContent: single, batchEmbedContents: batch, predict } as const;

export function checkBody(body: JsonRecord, address: EmbedAddress): GenerateRefusal | undefined {
  return firstOf(
    () => wordProblem(SHAPES[address.action](body, [], { ignoreUnknown: false })),
    () => checkModel(address),
    () => checkCounts(body),
    () => checkRequests(body, address),
  );
}

function checkModel({ model, action }: EmbedAddress): GenerateRefusal | undefined {
  if (/^gemini-embedding-\d/u.test(model)) return undefined;
  const message = `models/${model} is not found for API version v1beta, or is not supported for ${action}.`;
  return { code: 404, status: 'NOT_FOUND', message };
}

function checkCounts(body: JsonRecord): GenerateRefusal | undefined {
  if (asList(body['requests']).length > MAX_BATCH)
    return invalid('* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch\n');
  if (asList(body['instances']).length > MAX_INSTANCES) return invalid('The number of instances exceeds 250.');
  return undefined;
}

function checkRequests(body: JsonRecord, { model }: EmbedAddress): GenerateRefusal | undefined {
  const requests = asList(body['requests'] ?? [body]).map(asRecord);
  for (const [at, request] of requests.entries()) {
    if (request['model'] !== undefined && request['model'] !== `models/${model}`)
      return violation(['requests', at, 'model'], 'must match the model of the batch request');
    if (request['title'] !== undefined && request['taskType'] !== 'RETRIEVAL_DOCUMENT')
      return violation(['requests', at, 'title'], 'is only applicable when task_type is RETRIEVAL_DOCUMENT');
  }
  return undefined;
}
