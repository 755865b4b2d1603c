import { expect, test } from 'vitest';
import { type Definition, definitionOf, EMPTY_FORM, formOf, isComplete } from './own-model-form.ts';

const FORM = { ...EMPTY_FORM, id: ' acme/large ', provider: 'azure', prompt: '1.25', completion: '10' };
const price = (value: string) => [{ value, unit: 'perMTokens', currency: 'USD' }];

test('a new model has what was filled in, and no more', () => {
  expect(definitionOf(FORM)).toEqual({
    id: 'acme/large',
    endpoints: [{ provider: 'azure', pricings: { prompt: price('1.25'), completion: price('10') } }],
  });
  expect(definitionOf({ ...EMPTY_FORM, id: 'a/b', provider: 'p', contextLength: '8000', readsImages: true })).toEqual({
    id: 'a/b',
    contextLength: 8000,
    inputModalities: ['text', 'image'],
    endpoints: [{ provider: 'p' }],
  });
});

test('what the form does not show stays', () => {
  const before: Definition = {
    id: 'acme/large',
    endpoints: [
      { provider: 'azure', dialect: 'openai-responses', pricings: { prompt: price('1'), image: price('3') } },
      { provider: 'groq' },
    ],
    capabilities: { tools: false },
    contextLength: 9000,
  };
  expect(definitionOf(formOf(before), before)).toEqual(before);
  expect(definitionOf({ ...formOf(before), prompt: '', contextLength: '' }, before)).toEqual({
    id: 'acme/large',
    endpoints: [
      { provider: 'azure', dialect: 'openai-responses', pricings: { image: price('3') } },
      { provider: 'groq' },
    ],
    capabilities: { tools: false },
  });
});

test('a model needs an owner, a name and a provider', () => {
  expect(isComplete(FORM)).toBe(true);
  expect(
    [
      { ...FORM, id: 'large' },
      { ...FORM, id: 'a/ b' },
      { ...FORM, provider: '' },
    ].some(isComplete),
  ).toBe(false);
});
