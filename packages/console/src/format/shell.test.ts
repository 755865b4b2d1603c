import { expect, test } from 'vitest';
import { shellWord, triviumLine } from './shell.ts';

test('words are quoted only where a shell would read something else', () => {
  expect(shellWord('openai/gpt-5.4')).toBe('openai/gpt-5.4');
  expect(shellWord('openai/*')).toBe("'openai/*'");
  expect(shellWord("it's $(rm -rf)")).toBe(`'it'\\''s $(rm -rf)'`);
  expect(shellWord('')).toBe("''");
});

test('options without a value are left out, lists stand behind one name', () =>
  expect(
    triviumLine(
      ['keys', 'create', 'acme'],
      [
        ['name', 'my key'],
        ['models', ['a/*', 'b/c']],
        ['protocols', []],
        ['strict', true],
        ['rpm', 60],
        ['member', undefined],
      ],
    ),
  ).toBe("trivium keys create acme --name 'my key' --models 'a/*' b/c --strict --rpm 60"));
