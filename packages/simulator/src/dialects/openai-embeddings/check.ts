// Validates one embedding request, in the order in which OpenAI does.
import type { JsonRecord } from '../../json-value.ts';
import { asText } from '../../json-value.ts';
import { firstOf } from '../judgement.ts';
import type { ChatProfile } from '../openai-chat/profiles.ts';
import { badRequest, type ChatRefusal } from '../openai-chat/refusal.ts';
import { wordProblem } from '../openai-responses/problem.ts';
import { anything, integer, object, text, word } from '../shape-check.ts';
import { findEmbeddingFamily } from './models.ts';

const MAX_INPUTS = 2048;
const MAX_TOKENS = 8192;

const shape = object(
  { model: text({ min: 1 }), input: anything },
  { encoding_format: word('float', 'base64'), dimensions: integer({ min: 1 }), user: text() },
);

export function checkBody(body: JsonRecord, profile: ChatProfile): ChatRefusal | undefined {
  return firstOf(
    () => wordProblem(shape(body, [], { ignoreUnknown: profile.ignoresUnknown })),
    () => checkModel(body, profile),
    () => checkInput(body['input']),
  );
}

function checkModel(body: JsonRecord, { vendor }: ChatProfile): ChatRefusal | undefined {
  const model = asText(body['model']);
  const family = findEmbeddingFamily(model, vendor);
  if (family === undefined) {
    const message = `The model \`${model}\` does not exist or you do not have access to it.`;
    return { status: 404, message, type: 'invalid_request_error', param: null, code: 'model_not_found' };
  }
  if (body['encoding_format'] === 'base64' && !family.base64)
    return badRequest('encoding_format base64 is not supported', 'encoding_format');
  const { dimensions } = body;
  if (dimensions === undefined) return undefined;
  if (!family.shortens) return badRequest('This model does not support specifying dimensions.', 'dimensions');
  if (Number(dimensions) <= family.dimensions) return undefined;
  return badRequest(
    `Invalid value for 'dimensions' = ${dimensions}. Must be less than or equal to ${family.dimensions}.`,
    'dimensions',
  );
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isTokens = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= MAX_TOKENS &&
  value.every((id) => Number.isInteger(id) && id >= 0);

function checkInput(input: unknown): ChatRefusal | undefined {
  if (isText(input) || isTokens(input)) return undefined;
  const isList = Array.isArray(input) && input.length > 0 && input.length <= MAX_INPUTS;
  if (isList && (input.every(isText) || input.every(isTokens))) return undefined;
  return badRequest(
    "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.",
    'input',
  );
}
