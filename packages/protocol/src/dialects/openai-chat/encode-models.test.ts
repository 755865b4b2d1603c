import { describe, expect, test } from 'vitest';
import { modelCard } from '../../canonical/model-card.fixture.ts';
import { encodeModel, encodeModels } from './encode-models.ts';

const card = modelCard('lab/one', {
  inputModalities: ['text', 'image'],
  pricings: { prompt: [{ value: 0, unit: 'perMTokens', currency: 'USD' }] },
});

describe('the chat model list', () => {
  test('has exactly the fields of the protocol', () => {
    expect(encodeModels([card])).toEqual({
      object: 'list',
      data: [
        {
          id: 'lab/one',
          object: 'model',
          display_name: 'One',
          created: 1772236800,
          owned_by: 'lab',
          input_modalities: ['text', 'image'],
          output_modalities: ['text'],
          capabilities: { reasoning: true },
          context_length: 1000,
          pricings: { prompt: [{ value: 0, unit: 'perMTokens', currency: 'USD' }] },
        },
      ],
    });
  });

  test('dates a model by whole seconds at the start of its day', () => {
    const { created } = encodeModel(card);
    expect(Number.isInteger(created)).toBe(true);
    expect(new Date(created * 1000).toISOString()).toBe('2026-02-28T00:00:00.000Z');
  });

  test('may be empty', () => {
    expect(encodeModels([])).toEqual({ object: 'list', data: [] });
  });
});
