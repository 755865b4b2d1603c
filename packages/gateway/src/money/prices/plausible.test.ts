import type { Usage } from '@trivium/protocol/canonical';
import { describe, expect, test } from 'vitest';
import {
  imageCountLimit,
  imageInputLimit,
  imageTokenLimit,
  inputLengthLimit,
  lengthLimit,
  mostCharacters,
  outputLimit,
  searchLimit,
  type UsageLimit,
  videoTokenLimit,
  windowLimit,
  withinLimits,
} from './plausible.ts';

describe('the bounds, as the documentation states them', () => {
  test.each<[string, UsageLimit, number, number]>([
    ['a cap of 50', outputLimit(50), 50, 117],
    ['a cap of 16,384', outputLimit(16_384), 16_384, 17_472],
    ['a window of 128,000', windowLimit(128_000), 128_000, 144_000],
    ['an empty answer', lengthLimit(0, 0, false), 0, 256],
    ['an answer of 11 characters', lengthLimit(11, 0, false), 33, 300],
    ['the same with a stop sequence of 5', lengthLimit(11, 5, false), 33, 320],
    ['the same with tools declared', lengthLimit(11, 0, true), 33, 4396],
    ['two embedding inputs of 100 bytes in all', inputLengthLimit(100, 2), 100, 228],
    ['an image prompt of 100 bytes with one reference', imageInputLimit(100, 1), 16_484, 16_740],
    ['two images', imageCountLimit(2), 2, 2],
    ['images of at most 4,000 tokens', imageTokenLimit(4000), 4000, 8000],
    ['a clip ordered at 100,000 tokens', videoTokenLimit(100_000), 100_000, 400_000],
    ['a clip of no known size', videoTokenLimit(0), 0, Number.POSITIVE_INFINITY],
    ['searches', searchLimit(), 128, 128],
  ])('%s', (_, limit, atMost, tolerated) => {
    expect([limit.atMost, limit.tolerated]).toEqual([atMost, tolerated]);
  });

  test('a stream is cut beyond 128 characters for each token of its cap, and 1,024', () => {
    expect(mostCharacters(50)).toBe(7424);
    expect(mostCharacters(Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('withinLimits', () => {
  test.each<[string, Usage, readonly UsageLimit[], Usage, readonly string[]]>([
    ['at the margin: as reported', { completion: 117 }, [outputLimit(50)], { completion: 117 }, []],
    ['beyond it: the limit itself', { completion: 118 }, [outputLimit(50)], { completion: 50 }, ['output-cap']],
    [
      'the largest meter is lowered first',
      { completion: 30, internalReasoning: 1_000_000 },
      [outputLimit(50)],
      { completion: 30, internalReasoning: 20 },
      ['output-cap'],
    ],
    [
      'the narrowest limit decides',
      { completion: 1_000_000 },
      [outputLimit(50), lengthLimit(11, 0, false)],
      { completion: 33 },
      ['output-cap', 'answer-length'],
    ],
    [
      'input and output are judged apart',
      { prompt: 9, inputCacheRead: 1_000_000, completion: 7 },
      [outputLimit(50), windowLimit(1000)],
      { prompt: 9, inputCacheRead: 991, completion: 7 },
      ['context-window'],
    ],
    [
      'an unknown limit holds nothing back',
      { prompt: 1e9 },
      [windowLimit(Number.POSITIVE_INFINITY)],
      { prompt: 1e9 },
      [],
    ],
  ])('%s', (_, reported, limits, usage, why) => {
    expect(withinLimits(reported, limits)).toEqual({ usage, why });
  });

  test('the charged usage never exceeds what was reported, nor a limit and its margin', () => {
    for (let tokens = 1; tokens < 1e9; tokens *= 3) {
      const { usage } = withinLimits({ completion: tokens }, [outputLimit(50), lengthLimit(11, 0, false)]);
      expect(usage.completion).toBeLessThanOrEqual(Math.min(tokens, 117));
    }
  });
});
