// Validates one embedding request, in the order in which OpenAI does.
import { asText, type JsonRecord } from '../../json-value.ts';
import { unknownModel } from '../openai-chat/check.ts';
import { wordProblem } from '../openai-chat/problem.ts';
import type { ChatProfile } from '../openai-chat/profiles.ts';
import { badRequest, type ChatRefusal } from '../openai-chat/refusal.ts';
import { Shapes } from '../shape-check.ts';
import { findEmbeddingFamily } from './models.ts';

const MAX_INPUTS = 2048;
const MAX_TOKENS = 8192;

const shapes = new Shapes(
  `Embeddings = { model: text(1..), input, encoding_format?: 'float' | 'base64', dimensions?: int(1..), user?: text }`,
);

export function checkBody(body: JsonRecord, { ignoresUnknown, vendor }: ChatProfile): ChatRefusal | undefined {
  const problem = shapes.first('Embeddings', body, ignoresUnknown);
  if (problem !== undefined) return wordProblem(problem);
  const family = findEmbeddingFamily(asText(body['model']), vendor);
  if (family === undefined) return unknownModel(asText(body['model']));
  if (body['encoding_format'] === 'base64' && !family.base64)
    return badRequest('encoding_format base64 is not supported', 'encoding_format');
  const { dimensions, input } = body;
  if (dimensions !== undefined && !family.shortens)
    return badRequest('This model does not support specifying dimensions.', 'dimensions');
  if (Number(dimensions) > family.dimensions)
    return badRequest(
      `Invalid value for 'dimensions' = ${dimensions}. Must be less than or equal to ${family.dimensions}.`,
      'dimensions',
    );
  if (isText(input) || isTokens(input)) return undefined;
  const isList = Array.isArray(input) && input.length > 0 && input.length <= MAX_INPUTS;
  if (isList && (input.every(isText) || input.every(isTokens))) return undefined;
  return badRequest(
    "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.",
    'input',
  );
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isTokens = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= MAX_TOKENS &&
  value.every((id) => Number.isInteger(id) && id >= 0);
