import { expect, test } from 'vitest';
import { spokenSegments } from './spoken-segments.ts';

const word = (text: string, start: number, speaker?: string) => ({
  word: text,
  start,
  end: start + 0.4,
  ...(speaker !== undefined && { speaker }),
});

test('[SO-09] a segment ends with a sentence, at a pause, and where another speaks', () => {
  const words = [word('Good', 0), word('morning.', 0.5), word('Who', 1), word('is', 1.5), word('there', 4)];
  const segments = spokenSegments('Good morning. Who is… there', words);
  expect(segments.map(({ text }) => text)).toEqual(['Good morning.', 'Who is…', 'there']);
  expect(segments.map(({ start, end }) => [start, end])).toEqual([
    [0, 0.9],
    [1, 1.9],
    [4, 4.4],
  ]);
  const talk = spokenSegments('Yes no yes', [word('Yes', 0, 'x'), word('no', 0.5, 'y'), word('yes', 1, 'x')]);
  expect(talk.map(({ speaker, text }) => `${speaker} ${text}`)).toEqual(['A Yes', 'B no', 'A yes']);
});

test('[SO-09] words without spaces stay as they are written, and long talk is cut where it can be read', () => {
  const [own] = spokenSegments('東京駅', [word('東', 0), word('京', 0.4), word('駅', 0.8)]);
  expect(own?.text).toBe('東京駅');
  const many = Array.from({ length: 100 }, (_, at) => word('word', at * 0.5));
  const segments = spokenSegments(many.map(({ word: each }) => each).join(' '), many);
  expect(segments.every(({ start, end, text }) => end - start <= 7 && text.length <= 84)).toBe(true);
  expect(
    segments
      .map(({ text }) => text)
      .join(' ')
      .split(' '),
  ).toHaveLength(100);
});

test('[SO-09] words that are not in the text are written one after another', () => {
  expect(spokenSegments('Hi!', [word('hello', 0), word('you', 0.5)])[0]?.text).toBe('hello you');
  expect(spokenSegments('', [])).toEqual([]);
});
