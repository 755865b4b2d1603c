import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../canonical/json.ts';
import { fieldOf, modelFacts } from '../dialect.fixture.ts';
import type { ModelFacts } from '../dialect.ts';
import { head, understand, withConfig } from './body.fixture.ts';

describe('requests a model cannot serve', () => {
  const facts = (thinking: Partial<ModelFacts['thinking']> = {}, more: Partial<ModelFacts> = {}): ModelFacts =>
    modelFacts({
      maxOutputTokens: 100,
      thinking: { kind: 'budget', canDisable: false, levels: [], ...thinking },
      ...more,
    });
  const judged = (config: JsonObject, model: ModelFacts, stream = false) =>
    fieldOf(() => understand(withConfig(config), { ...head, stream }).judge?.(model));
  const budgets = (model: ModelFacts, ...values: number[]) =>
    values.map((thinkingBudget) => judged({ thinkingConfig: { thinkingBudget } }, model) === undefined);

  test('temperature above the range of the model', () => {
    expect(judged({ temperature: 2.01 }, facts())).toBe('generationConfig.temperature');
    expect(judged({ temperature: 2 }, facts())).toBeUndefined();
    expect(judged({ temperature: 1.5 }, facts({}, { temperatureMax: 1 }))).toBe('generationConfig.temperature');
  });
  test('candidates', () => {
    const model = facts({}, { candidatesMax: 8 });
    expect(judged({ candidateCount: 8 }, model)).toBeUndefined();
    expect(judged({ candidateCount: 9 }, model)).toBe('generationConfig.candidateCount');
    expect(judged({ candidateCount: 2 }, model, true)).toBe('generationConfig.candidateCount');
  });
  test('output the model does not have', () => {
    const config = { responseModalities: ['TEXT', 'IMAGE'] };
    expect(judged(config, facts())).toBe('generationConfig.responseModalities');
    expect(judged(config, facts({}, { outputModalities: ['text', 'image'] }))).toBeUndefined();
    expect(judged({ responseModalities: ['AUDIO'] }, facts())).toBe('generationConfig.responseModalities');
  });
  test('thinking on a model that does not think', () => {
    expect(judged({ thinkingConfig: { includeThoughts: true } }, facts({ kind: 'none' }))).toBe(
      'generationConfig.thinkingConfig',
    );
  });
  test('a refusal lists only values that would be accepted (M11)', () => {
    const messageOf = (config: JsonObject, model: ModelFacts): string => {
      try {
        understand(withConfig({ thinkingConfig: config }), head).judge?.(model);
      } catch (error) {
        return error instanceof Error ? error.message : '';
      }
      return '';
    };
    expect(messageOf({ thinkingBudget: 5 }, facts({ budgetMin: 1024 }))).toBe(
      "'generationConfig.thinkingConfig.thinkingBudget' must be -1 or at least 1024 for this model.",
    );
    const levels = ['low', 'high', 'xhigh', 'max'];
    expect(messageOf({ thinkingLevel: 'MINIMAL' }, facts({ kind: 'effort', levels }))).toBe(
      "'generationConfig.thinkingConfig.thinkingLevel' must be one of LOW, HIGH for this model.",
    );
    expect(messageOf({ thinkingLevel: 'LOW' }, facts({ kind: 'effort', levels: ['xhigh'] }))).toContain(
      'thinkingBudget',
    );
  });
  test('budgets by tier', () => {
    expect(budgets(facts({ budgetMin: 128, budgetMax: 32768 }), 128, 32768, 127, 32769, 0, -1)).toEqual([
      true,
      true,
      false,
      false,
      false,
      true,
    ]);
    expect(budgets(facts({ budgetMin: 1, budgetMax: 24576, canDisable: true }), 0, 24576, 24577, -1)).toEqual([
      true,
      true,
      false,
      true,
    ]);
    expect(budgets(facts({ budgetMin: 512, budgetMax: 24576 }), 512, 24576, 511, 24577)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
  test('levels of the model', () => {
    const model = facts({ kind: 'level', levels: ['low', 'high'] });
    expect(judged({ thinkingConfig: { thinkingLevel: 'LOW' } }, model)).toBeUndefined();
    expect(() => understand(withConfig({ thinkingConfig: { thinkingLevel: 'MEDIUM' } })).judge?.(model)).toThrow(
      'LOW, HIGH',
    );
  });
  test('a model that lists no levels accepts one, unless it thinks by budget', () => {
    const config = { thinkingConfig: { thinkingLevel: 'LOW' } };
    expect(judged(config, facts({ kind: 'budget' }))).toBe('generationConfig.thinkingConfig.thinkingLevel');
    expect(judged(config, facts({ kind: 'level' }))).toBeUndefined();
  });
  test('the highest resolution is only for the newest generation', () => {
    const config = { mediaResolution: 'MEDIA_RESOLUTION_ULTRA_HIGH' };
    expect(judged(config, facts())).toBe('generationConfig.mediaResolution');
    expect(judged(config, facts({ kind: 'level' }))).toBeUndefined();
    const ofPart = (mediaResolution: string, model: ModelFacts) => {
      const image = { inlineData: { mimeType: 'image/png', data: 'QUJD' }, mediaResolution };
      return fieldOf(() => understand({ contents: [{ parts: [{ text: 'a' }, image] }] }).judge?.(model));
    };
    expect(ofPart('ULTRA_HIGH', facts())).toBe('contents[0].parts[1].mediaResolution');
    expect(ofPart('ULTRA_HIGH', facts({ kind: 'level' }))).toBeUndefined();
    expect(ofPart('HIGH', facts())).toBeUndefined();
  });
  test('aspect ratios of the model', () => {
    const config = { responseModalities: ['TEXT', 'IMAGE'], imageConfig: { aspectRatio: '4:5' } };
    const model = facts({}, { outputModalities: ['text', 'image'], aspectRatios: ['1:1'] });
    expect(judged(config, model)).toBe('generationConfig.imageConfig.aspectRatio');
  });
});
