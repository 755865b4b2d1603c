import { describe, expect, test } from 'vitest';
import { GatheredText, SseReader } from './index.ts';

describe('GatheredText', () => {
  test('returns the given text, however it was cut', () => {
    const text = 'Wo treffen sich drei Wege? é 🙂 '.repeat(500);
    for (const cut of [1, 3, 1023, 1024, 5000]) {
      const gathered = new GatheredText();
      for (let at = 0; at < text.length; at += cut) gathered.push(text.slice(at, at + cut));
      expect(gathered.length).toBe(text.length);
      expect(gathered.text()).toBe(text);
      gathered.push('!');
      expect(gathered.take()).toBe(`${text}!`);
      expect([gathered.length, gathered.text()]).toEqual([0, '']);
    }
  });
});

test('an event with many data lines is joined once', () => {
  const lines = 200_000;
  const frames: string[] = [];
  const reader = new SseReader(10_000_000);
  for (let at = 0; at < lines; at++) reader.push('data: x\n', ({ data }) => frames.push(data));
  reader.push('\n', ({ data }) => frames.push(data));
  expect(frames).toEqual([Array.from({ length: lines }, () => 'x').join('\n')]);
});

test('line ends of both kinds are found without scanning the rest for each', () => {
  const frames: string[] = [];
  new SseReader(10_000_000).push(`${'data: x\n\n'.repeat(500_000)}data: y\r\r`, ({ data }) => frames.push(data));
  expect([frames.length, frames.at(-1)]).toEqual([500_001, 'y']);
});
