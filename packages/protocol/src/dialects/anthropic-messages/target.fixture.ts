/** A host of the messages format with a model that thinks within a budget. */
import { targetFacts } from '../dialect.fixture.ts';
import type { ModelFacts, TargetFacts } from '../dialect.ts';
import { type MessagesQuirks, messagesQuirks } from './quirks.ts';

export const messagesTarget = (
  model: Partial<ModelFacts> = {},
  quirks: Partial<MessagesQuirks> = {},
  family = 'anthropic',
): TargetFacts =>
  targetFacts({ dialect: 'anthropic-messages', family, scope: 's' }, messagesQuirks(quirks), {
    maxOutputTokens: 10_000,
    thinking: { kind: 'budget', canDisable: true, levels: [] },
    ...model,
  });
