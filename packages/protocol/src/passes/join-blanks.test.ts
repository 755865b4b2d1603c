import { expect, test } from 'vitest';
import type { Block } from '../canonical/content.ts';
import { joinBlanks } from './join-pieces.ts';

const text = (said: string, more: object = {}): Block => ({ kind: 'text', text: said, ...more });
const CALL: Block = { kind: 'tool-call', id: 'c', name: 'f', form: 'function', argumentsJson: '{}' };

test('white space between words stays between them', () => {
  const blocks = ['one', ' ', 'two', '\n', '\n', 'three'].map((said) => text(said));
  expect(joinBlanks(blocks)).toEqual([text('one '), text('two\n\n'), text('three')]);
});

test('white space before the first word is merged into that word', () => {
  expect(joinBlanks([text(' '), text('one')])).toEqual([text(' one')]);
});

test('white space without a neighbouring text is dropped', () => {
  expect(joinBlanks([text(' '), CALL, text('\n')])).toEqual([CALL]);
});

test('a cache mark on white space is kept', () => {
  expect(joinBlanks([text('one'), text(' ', { cache: {} })])).toEqual([text('one ', { cache: {} })]);
  expect(joinBlanks([text(' ', { cache: {} }), text('one')])).toEqual([text(' one', { cache: {} })]);
});

test('blocks with text are unchanged', () => {
  const blocks = [text('one'), text('two'), CALL];
  expect(joinBlanks(blocks)).toBe(blocks);
});
