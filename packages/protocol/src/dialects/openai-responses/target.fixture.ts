/** A host of the responses format with a model that has three reasoning efforts. */
import { targetFacts } from '../dialect.fixture.ts';
import type { ModelFacts, TargetFacts } from '../dialect.ts';
import { type ResponsesQuirks, responsesQuirks } from './quirks.ts';

export const responsesTarget = (
  model: Partial<ModelFacts> = {},
  quirks: Partial<ResponsesQuirks> = {},
  family = 'gpt',
): TargetFacts =>
  targetFacts({ dialect: 'openai-responses', family, scope: 's' }, responsesQuirks(quirks), {
    maxOutputTokens: 5000,
    thinking: { kind: 'effort', canDisable: false, levels: ['low', 'medium', 'high'] },
    ...model,
  });
