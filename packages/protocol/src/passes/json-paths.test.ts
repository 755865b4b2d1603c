import { describe, expect, test } from 'vitest';
import { amountAt, textAt, valuesAt, withValue } from './json-paths.ts';

const TREE = { data: { id: 7, videos: [{ url: 'a' }, { url: null }, 'odd', { url: 'b' }] }, none: null };

describe('reading by path', () => {
  test('iterates over lists and skips missing values', () => {
    expect(valuesAt(TREE, 'data.videos[].url')).toEqual(['a', 'b']);
    expect(valuesAt(TREE, 'data.nothing.url')).toEqual([]);
    expect(valuesAt(TREE, 'none')).toEqual([]);
    expect(valuesAt(undefined, 'data')).toEqual([]);
  });

  test('does not read inherited members', () => {
    expect(valuesAt(TREE, 'constructor.name')).toEqual([]);
  });

  test('reads numeric ids, and amounts that are strings', () => {
    expect(textAt(TREE, 'data.id')).toBe('7');
    expect(amountAt({ seconds: '5.5' }, 'seconds')).toBe(5.5);
    expect(amountAt({ seconds: 'five' }, 'seconds')).toBeUndefined();
    expect(amountAt({ seconds: '' }, 'seconds')).toBeUndefined();
  });
});

describe('writing by path', () => {
  test('creates missing parents, and leaves the rest unchanged', () => {
    const once = withValue({ model: 'm' }, 'input.prompt', 'a cat', 'put');
    expect(withValue(once, 'input.seed', 1, 'put')).toEqual({ model: 'm', input: { prompt: 'a cat', seed: 1 } });
  });

  test('writes into the only element of a list', () => {
    const once = withValue({}, 'instances[0].prompt', 'a cat', 'put');
    expect(withValue(once, 'instances[0].image', {}, 'put')).toEqual({ instances: [{ prompt: 'a cat', image: {} }] });
  });

  test('appends to a list', () => {
    expect(withValue(withValue({}, 'content', 1, 'add'), 'content', 2, 'add')).toEqual({ content: [1, 2] });
  });

  test('does not modify its input', () => {
    const given = { input: { prompt: 'a' } };
    withValue(given, 'input.prompt', 'b', 'put');
    expect(given).toEqual({ input: { prompt: 'a' } });
  });
});
