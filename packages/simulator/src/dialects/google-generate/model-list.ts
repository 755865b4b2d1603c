// `GET …/models` and `GET …/models/{id}`.
import { findFamily } from '../judgement.ts';
import { geminiFamilies } from './models.ts';

const INPUT_TOKEN_LIMIT = 1_048_576;

export function describeModel(id: string): object | undefined {
  const family = findFamily(id, geminiFamilies);
  return (
    family && {
      name: `models/${id}`,
      version: '001',
      displayName: id,
      inputTokenLimit: INPUT_TOKEN_LIMIT,
      outputTokenLimit: family.maxOutputTokens,
      supportedGenerationMethods: ['generateContent', 'countTokens'],
      thinking: family.thinking.kind !== 'none',
    }
  );
}
