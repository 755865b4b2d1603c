import { COMPLEXITIES, TASK_TYPES } from '@trivium/protocol/canonical';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rankModels, taskPrice } from './rank-models.ts';

const model = (name: string, prompt?: number, completion = prompt, thinks = false) => ({
  name,
  facts: {
    promptPicoUsd: prompt === undefined ? undefined : BigInt(prompt),
    completionPicoUsd: completion === undefined ? undefined : BigInt(completion),
    thinks,
  },
});
const namesOf = (models: readonly { readonly name: string }[]): string => models.map(({ name }) => name).join('');

describe('with five models', () => {
  const five = [model('c', 30), model('x'), model('a', 10), model('t', 20, 20, true), model('d', 40)];
  test.each([
    ['low', 'atcdx'],
    ['medium', 'tacdx'],
    ['high', 'tdcax'],
  ] as const)('%s begins so: %s', (complexity, expected) => {
    expect(namesOf(rankModels(five, 'chat', complexity))).toBe(expected);
  });
});

test('the cheapest model depends on the kind of task', () => {
  const reader = model('reader', 1, 9);
  const writer = model('writer', 3, 4);
  const first = (task: (typeof TASK_TYPES)[number]) => rankModels([reader, writer], task, 'low')[0]?.name;
  expect(TASK_TYPES.map((task) => [task, taskPrice(reader.facts, task), first(task)])).toEqual([
    ['chat', 12n, 'reader'],
    ['completion', 10n, 'writer'],
    ['embedding', 1n, 'reader'],
  ]);
});

test('a model without an output price is unpriced, except for embeddings', () => {
  const half = { promptPicoUsd: 2n, completionPicoUsd: undefined, thinks: false };
  expect(TASK_TYPES.map((task) => taskPrice(half, task))).toEqual([undefined, undefined, 2n]);
});

test('every model stays in, equal inputs give equal orders, equals keep their order', () => {
  const models = fc.array(
    fc.record({
      name: fc.string(),
      facts: fc.record({
        promptPicoUsd: fc.option(fc.bigInt({ min: 0n, max: 3n }), { nil: undefined }),
        completionPicoUsd: fc.option(fc.bigInt({ min: 0n, max: 3n }), { nil: undefined }),
        thinks: fc.boolean(),
      }),
    }),
  );
  fc.assert(
    fc.property(models, fc.constantFrom(...TASK_TYPES), fc.constantFrom(...COMPLEXITIES), (given, task, complexity) => {
      const ranked = rankModels(given, task, complexity);
      expect(new Set(ranked)).toEqual(new Set(given));
      expect(rankModels(structuredClone(given), task, complexity)).toEqual(ranked);
    }),
  );
  const equals = ['p', 'q', 'r'].map((name) => model(name, 5));
  for (const complexity of COMPLEXITIES) expect(namesOf(rankModels(equals, 'chat', complexity))).toMatch(/^pqr$|^qpr$/);
});
