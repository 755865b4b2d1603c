// `GET …/models` and `GET …/models/{id}`.
import { findFamily } from '../judgement.ts';
import { type GenerateModelFamily, geminiFamilies } from './models.ts';

const INPUT_TOKEN_LIMIT = 1_048_576;

function modelObject(id: string, family: GenerateModelFamily): object {
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

export function retrieveModel(id: string): object | undefined {
  const family = findFamily(id, geminiFamilies);
  return family && modelObject(id, family);
}
