import { expect, test } from 'vitest';
import { isHeavyAnswer, isHeavyRequest } from './heavy-work.ts';

const KB = 1024;
const array = (values: number): string => `[${'1,'.repeat(values - 1)}1]`;
const string = (characters: number): string => `"${'x'.repeat(characters - 2)}"`;

test.each<[string, string, boolean, boolean]>([
  ['128 KB, whatever its values', array(64 * KB - 1), false, false],
  ['more than 128 KB with few values', string(129 * KB), false, false],
  ['more than 128 KB with more than 20,000 values', array(30_000) + string(100 * KB), true, false],
  ['more than 128 KB with more than 50,000 values', array(70_000), true, true],
  ['4 MB with few values', string(4096 * KB), false, false],
  ['more than 4 MB', string(4097 * KB), true, true],
  ['a string that does not end, which the parser refuses', `${array(10)}"${'x'.repeat(300 * KB)}`, false, false],
  ['values inside a string', JSON.stringify(array(200_000)), false, false],
])('a text of %s is parsed on another thread or not', (_what, text, request, answer) => {
  expect([isHeavyRequest(text), isHeavyAnswer(text)]).toEqual([request, answer]);
});
