import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { modelCard } from '../../canonical/model-card.fixture.ts';
import type { ModelCard } from '../../canonical/model-card.ts';
import { encodeModels, type MessagesModelList, type MessagesModelsQuery } from './encode-models.ts';

const card = (id: string): ModelCard => modelCard(id, { inputModalities: ['text', 'file'] });
const cards = (count: number) => Array.from({ length: count }, (_, index) => card(`lab/m${index}`));

const listOf = (all: readonly ModelCard[], query?: MessagesModelsQuery): MessagesModelList => {
  const encoded = encodeModels(all, query);
  if (!encoded.ok) throw new Error(encoded.message);
  return encoded.list;
};
const idsOf = (list: MessagesModelList) => list.data.map((model) => model.id);

describe('the messages model list', () => {
  test('has exactly the fields of the protocol', () => {
    expect(listOf([card('lab/one')])).toEqual({
      data: [
        {
          id: 'lab/one',
          type: 'model',
          display_name: 'One',
          created_at: '2026-02-28',
          input_modalities: ['text', 'file'],
          output_modalities: ['text'],
          capabilities: { reasoning: true },
          context_length: 1000,
          max_input_tokens: 1000,
          max_tokens: 100,
          pricings: {},
        },
      ],
      has_more: false,
      first_id: 'lab/one',
      last_id: 'lab/one',
    });
  });

  test('is complete without parameters, however long', () => {
    const list = listOf(cards(1500));
    expect(list.data).toHaveLength(1500);
    expect(list.has_more).toBe(false);
  });

  test('has null cursors if it is empty', () => {
    expect(listOf([])).toEqual({ data: [], has_more: false, first_id: null, last_id: null });
  });

  test('pages forward through every model once, for any page size', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 40 }), (count, limit) => {
        const all = cards(count);
        const seen: string[] = [];
        let list = listOf(all, { limit: `${limit}` });
        seen.push(...idsOf(list));
        while (list.has_more) {
          list = listOf(all, { limit: `${limit}`, after_id: list.last_id ?? '' });
          seen.push(...idsOf(list));
        }
        expect(seen).toEqual(all.map((each) => each.id));
      }),
    );
  });

  test('returns the models just before a cursor, in list order', () => {
    const list = listOf(cards(5), { limit: '2', before_id: 'lab/m4' });
    expect(idsOf(list)).toEqual(['lab/m2', 'lab/m3']);
    expect(list.has_more).toBe(true);
    expect(listOf(cards(5), { limit: '2', before_id: 'lab/m2' }).has_more).toBe(false);
  });

  test('is empty after the last model', () => {
    expect(listOf(cards(2), { after_id: 'lab/m1' })).toMatchObject({ data: [], has_more: false });
  });

  test.each([
    [{ limit: '0' }, 'limit'],
    [{ limit: '1001' }, 'limit'],
    [{ limit: 'all' }, 'limit'],
    [{ limit: '' }, 'limit'],
    [{ after_id: 'lab/none' }, 'after_id'],
    [{ before_id: 'lab/none' }, 'before_id'],
    [{ after_id: 'lab/m0', before_id: 'lab/m1' }, 'before_id'],
  ])('refuses %j and names the field', (query, field) => {
    expect(encodeModels(cards(3), query)).toMatchObject({ ok: false, field });
  });
});
