/** A model card for tests that vary one field. */
import type { ModelCard } from './model-card.ts';

export const modelCard = (id: string, more: Partial<ModelCard> = {}): ModelCard => ({
  id,
  displayName: 'One',
  description: 'The first.',
  createdDay: '2026-02-28',
  ownedBy: 'lab',
  inputModalities: ['text'],
  outputModalities: ['text'],
  reasoning: true,
  contextLength: 1000,
  maxOutputTokens: 100,
  pricings: {},
  ...more,
});
