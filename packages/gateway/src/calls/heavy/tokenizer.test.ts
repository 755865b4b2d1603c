// Counts are compared with the tokenizer's own splitting; texts that would take it minutes are counted in pieces.
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { tokensOf } from './tokenizer.ts';

const TEXTS = {
  prose: 'The quick brown fox jumps over the lazy dog, twice.\n\n'.repeat(20),
  code: 'function add(a: number, b: number) {\n  return a + b;\n}\n'.repeat(20),
  Chinese: '模型网关把请求发送给许多提供商，并记录费用。'.repeat(20),
  German: 'Donaudampfschifffahrtsgesellschaftskapitän trägt Straßenschuhe.'.repeat(20),
  numbers: '3.14159265358979323846'.repeat(50),
  emoji: '👩‍👩‍👧 👍🏽 '.repeat(20),
  nothing: '',
};
test.each(Object.entries(TEXTS))('%s has as many tokens as the tokenizer splits it into', (_name, text) => {
  expect(tokensOf(text)).toBe(encode(text).length);
});

test('a control token in a text counts as text', () => {
  expect(tokensOf('<|endoftext|>')).toBeGreaterThan(1);
});

test.each([
  ['letters', 'a'],
  ['CJK', '的'],
  ['spaces', ' '],
  ['marks', '!?'],
  ['surrogates', '👩'],
])('an unbroken run of %s does not take quadratic time', (_name, unit) => {
  const startedMs = process.cpuUsage().user / 1000;
  const tokens = tokensOf(unit.repeat(100_000));
  expect(tokens).toBeGreaterThan(500);
  // In one piece it takes 15 to 345 seconds of CPU.
  expect(process.cpuUsage().user / 1000 - startedMs).toBeLessThan(8_000);
});
