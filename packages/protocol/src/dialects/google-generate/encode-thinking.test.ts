import { describe, expect, test } from 'vitest';
import type { Reasoning } from '../../canonical/call.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { ModelFacts } from '../dialect.ts';
import { asked, target } from './call.fixture.ts';

type Thinking = ModelFacts['thinking'];
const thinking = (kind: Thinking['kind'], more: Partial<Thinking> = {}): Thinking => ({
  kind,
  canDisable: false,
  levels: [],
  ...more,
});
const encoded = (reasoning: Reasoning, facts: Thinking) => {
  const { body, losses } = asked({ reasoning }, target({ thinking: facts }));
  return { config: (body['generationConfig'] as JsonObject | undefined)?.['thinkingConfig'], losses };
};

describe('a model that does not think', () => {
  const facts = thinking('none', { canDisable: true });
  test.each([
    [{ enabled: true }, 'reasoning.enabled'],
    [{ effort: 'low' }, 'reasoning.effort'],
    [{ budgetTokens: 5 }, 'reasoning.budgetTokens'],
  ] as const)('reports thinking as requested by %j', (reasoning, field) => {
    expect(encoded(reasoning, facts)).toEqual({ config: undefined, losses: [{ field, why: 'no-equivalent' }] });
  });
  test.each([{ enabled: false }, { effort: 'none' }, { budgetTokens: 0 }, { show: 'summary' }] as const)(
    'has nothing to lose by %j',
    (reasoning) => {
      expect(encoded(reasoning, facts)).toEqual({ config: undefined, losses: [] });
    },
  );
});

describe('a model that cannot stop thinking thinks as little as it can, and reports it', () => {
  test.each([
    ['its smallest budget', thinking('budget', { budgetMin: 512 }), { thinkingBudget: 512 }],
    ['128 tokens without a published budget', thinking('budget'), { thinkingBudget: 128 }],
    ['its lowest level', thinking('level', { levels: ['medium', 'high'] }), { thinkingLevel: 'MEDIUM' }],
    ['low if it lists no level', thinking('level'), { thinkingLevel: 'LOW' }],
    ['nothing if it has no levels', thinking('always', { levels: ['low'] }), undefined],
  ])('%s', (_, facts, config) => {
    const losses = [{ field: 'reasoning.effort', why: 'approximated' }];
    expect(encoded({ effort: 'none' }, facts)).toEqual({ config, losses });
  });
  test('one that can stops without a loss', () => {
    expect(encoded({ enabled: false }, thinking('level', { canDisable: true }))).toEqual({
      config: { thinkingBudget: 0 },
      losses: [],
    });
  });
});

describe('an effort', () => {
  test.each([
    ['a share of the output of a model with budgets', 1000, 750],
    ['a fixed budget if its output has no known limit', undefined, 16_384],
  ] as const)('is %s', (_, maxOutputTokens, thinkingBudget) => {
    const facts = target({ maxOutputTokens, thinking: thinking('budget') });
    expect(asked({ reasoning: { effort: 'high' } }, facts)).toMatchObject({
      body: { generationConfig: { thinkingConfig: { thinkingBudget, includeThoughts: true } } },
      losses: [{ field: 'reasoning.effort', why: 'approximated' }],
    });
  });
  test('that is not named is left to a model with budgets', () => {
    expect(encoded({ enabled: true, show: 'none' }, thinking('budget'))).toEqual({
      config: { thinkingBudget: -1 },
      losses: [],
    });
  });
  test.each(['minimal', 'low', 'medium', 'high'] as const)('of %s is the level of that name', (effort) => {
    const levels = ['minimal', 'low', 'medium', 'high', 'xhigh'];
    expect(encoded({ effort, show: 'none' }, thinking('level', { levels }))).toEqual({
      config: { thinkingLevel: effort.toUpperCase() },
      losses: [],
    });
  });
  test('above the levels of this format is its highest, whatever the model lists', () => {
    expect(encoded({ effort: 'xhigh', show: 'none' }, thinking('level', { levels: ['high', 'xhigh'] }))).toEqual({
      config: { thinkingLevel: 'HIGH' },
      losses: [{ field: 'reasoning.effort', why: 'approximated' }],
    });
  });
  test.each(['low', 'high'] as const)('of %s is a level of a model that lists none', (effort) => {
    expect(encoded({ effort, show: 'none' }, thinking('level'))).toEqual({
      config: { thinkingLevel: effort.toUpperCase() },
      losses: [],
    });
  });
  test('is a loss on a model that always thinks alike', () => {
    expect(encoded({ effort: 'low', show: 'none' }, thinking('always', { levels: ['low'] }))).toEqual({
      config: undefined,
      losses: [{ field: 'reasoning.effort', why: 'no-equivalent' }],
    });
  });
});
