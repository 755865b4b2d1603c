import { describe, expect, test } from 'vitest';
import { amountAt, textAt, valuesAt, withValue } from './json-paths.ts';

const TREE = { data: { id: 7, videos: [{ url: 'a' }, { url: null }, 'odd', { url: 'b' }] }, none: null };

describe('reading by path', () => {
  test('goes through lists and past what is not there', () => {
    expect(valuesAt(TREE, 'data.videos[].url')).toEqual(['a', 'b']);
    expect(valuesAt(TREE, 'data.nothing.url')).toEqual([]);
    expect(valuesAt(TREE, 'none')).toEqual([]);
    expect(valuesAt(undefined, 'data')).toEqual([]);
  });

  test('does not take what every object has for what this one has', () => {
    expect(valuesAt(TREE, 'constructor.name')).toEqual([]);
  });

  test('reads ids that are numbers, and amounts that are texts', () => {
    expect(textAt(TREE, 'data.id')).toBe('7');
    expect(amountAt({ seconds: '5.5' }, 'seconds')).toBe(5.5);
    expect(amountAt({ seconds: 'five' }, 'seconds')).toBeUndefined();
    expect(amountAt({ seconds: '' }, 'seconds')).toBeUndefined();
  });
});

describe('writing by path', () => {
  test('makes what is missing on the way, and leaves the rest', () => {
    const once = withValue({ model: 'm' }, 'input.prompt', 'a cat', 'put');
    expect(withValue(once, 'input.seed', 1, 'put')).toEqual({ model: 'm', input: { prompt: 'a cat', seed: 1 } });
  });

  test('writes into the one element of a list', () => {
    const once = withValue({}, 'instances[0].prompt', 'a cat', 'put');
    expect(withValue(once, 'instances[0].image', {}, 'put')).toEqual({ instances: [{ prompt: 'a cat', image: {} }] });
  });

  test('adds to the end of a list', () => {
    expect(withValue(withValue({}, 'content', 1, 'add'), 'content', 2, 'add')).toEqual({ content: [1, 2] });
  });

  test('changes nothing it was given', () => {
    const given = { input: { prompt: 'a' } };
    withValue(given, 'input.prompt', 'b', 'put');
    expect(given).toEqual({ input: { prompt: 'a' } });
  });
});
