import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { modelCard } from '../../canonical/model-card.fixture.ts';
import type { ModelCard } from '../../canonical/model-card.ts';
import { encodeModels, type GenerateModelList, type GenerateModelsQuery } from './encode-models.ts';

const card = (id: string): ModelCard =>
  modelCard(id, { outputModalities: ['text', 'image'], reasoning: false, maxOutputTokens: 0 });
const cards = (count: number) => Array.from({ length: count }, (_, index) => card(`lab/m${index}`));

const listOf = (all: readonly ModelCard[], query?: GenerateModelsQuery): GenerateModelList => {
  const encoded = encodeModels(all, query);
  if (!encoded.ok) throw new Error(encoded.message);
  return encoded.list;
};

describe('the generateContent model list', () => {
  test('has exactly the fields of the protocol, and the bare id as name', () => {
    expect(listOf([card('lab/one')])).toEqual({
      models: [
        {
          name: 'lab/one',
          displayName: 'One',
          description: 'The first.',
          inputTokenLimit: 1000,
          outputTokenLimit: 0,
          thinking: false,
          inputModalities: ['text'],
          outputModalities: ['text', 'image'],
          pricings: {},
        },
      ],
    });
  });

  test('pages through every model once, for any page size', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 40 }), (count, pageSize) => {
        const all = cards(count);
        const seen: string[] = [];
        let list = listOf(all, { pageSize: `${pageSize}` });
        seen.push(...list.models.map((model) => model.name));
        while (list.nextPageToken !== undefined) {
          list = listOf(all, { pageSize: `${pageSize}`, pageToken: list.nextPageToken });
          seen.push(...list.models.map((model) => model.name));
        }
        expect(seen).toEqual(all.map((each) => each.id));
      }),
    );
  });

  test('is complete without parameters, with size 0 and with an empty token', () => {
    expect(listOf(cards(1500)).models).toHaveLength(1500);
    expect(listOf(cards(3), { pageSize: '0', pageToken: '' })).toEqual(listOf(cards(3)));
  });

  test('has no token on the last page', () => {
    expect(listOf(cards(2), { pageSize: '2' })).not.toHaveProperty('nextPageToken');
    expect(listOf([], { pageSize: '2' })).toEqual({ models: [] });
  });

  test.each([
    [{ pageSize: '-1' }, 'pageSize'],
    [{ pageSize: 'many' }, 'pageSize'],
    [{ pageToken: 'lab/m0' }, 'pageToken'],
    [{ pageToken: 'after:lab/none' }, 'pageToken'],
  ])('refuses %j and names the field', (query, field) => {
    expect(encodeModels(cards(3), query)).toMatchObject({ ok: false, field });
  });
});
