// `GET …/models` and `GET …/models/{id}`.
import { findFamily, geminiFamilies, type ModelFamily } from './models.ts';
import type { Refusal } from './refusal.ts';

const INPUT_TOKEN_LIMIT = 1_048_576;

function modelObject(id: string, family: ModelFamily): object {
  return {
    name: `models/${id}`,
    version: '001',
    displayName: id,
    inputTokenLimit: INPUT_TOKEN_LIMIT,
    outputTokenLimit: family.maxOutputTokens,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
    thinking: family.thinking.kind !== 'none',
  };
}

export function listModels(): object {
  return { models: geminiFamilies.flatMap((family) => family.examples.map((id) => modelObject(id, family))) };
}

export function checkModelExists(id: string): Refusal | undefined {
  if (findFamily(id) !== undefined) return undefined;
  return { code: 404, status: 'NOT_FOUND', message: `Model is not found: models/${id}` };
}

export function retrieveModel(id: string): object {
  const family = findFamily(id);
  return family === undefined ? {} : modelObject(id, family);
}
