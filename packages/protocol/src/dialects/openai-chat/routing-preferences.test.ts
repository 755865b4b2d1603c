import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../canonical/json.ts';
import { openaiChat } from './index.ts';

const understand = (more: JsonObject) =>
  openaiChat.server.understand({ model: 'a', messages: [{ role: 'user', content: 'x' }], ...more });
const chosen = (more: JsonObject) => {
  const { models, onRefusal } = understand(more).routing ?? {};
  return { names: models?.names, onRefusal };
};

describe('fallback models', () => {
  test('the model is tried first, then those listed, after any failure', () => {
    expect(chosen({ models: ['b', 'c'] })).toEqual({
      names: [
        { name: 'a', field: 'model' },
        { name: 'b', field: 'models[0]' },
        { name: 'c', field: 'models[1]' },
      ],
      onRefusal: 'next',
    });
  });
  test('a list that names the model is taken in its own order', () => {
    expect(chosen({ models: ['b', 'a'] }).names).toEqual([
      { name: 'b', field: 'models[0]' },
      { name: 'a', field: 'models[1]' },
    ]);
  });
  test('a list of the routing configuration overrules them, and that is reported', () => {
    const both = { models: ['b'], model_routing_config: { available_models: ['c'] } };
    expect(chosen(both)).toEqual({
      names: [{ name: 'c', field: 'model_routing_config.available_models[0]' }],
      onRefusal: undefined,
    });
    const lost = (more: JsonObject) => understand(more).losses;
    expect(lost(both)).toEqual([{ path: 'models', why: 'not-forwarded' }]);
    expect(lost({ models: ['b'] })).toEqual([]);
    expect(lost({ models: ['b'], model_routing_config: { available_models: [] } })).toEqual([]);
    expect(lost({ model_routing_config: { available_models: ['c'] } })).toEqual([]);
  });
  test('without any list there is nothing to prefer', () => {
    for (const more of [{}, { models: [] }, { model_routing_config: {} }])
      expect(understand(more).routing).toBeUndefined();
  });
});
