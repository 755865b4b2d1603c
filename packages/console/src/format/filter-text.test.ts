import { expect, test } from 'vitest';
import { namesToTry, parseFilterText } from './filter-text.ts';

const FIELDS = ['model', 'askedModel', 'status', 'key', 'id'];
const parse = (text: string) => parseFilterText(text, FIELDS, 'id');

test('reads names and values', () =>
  expect(parse('model:openai/* status:5xx')).toEqual({ patch: { model: 'openai/*', status: '5xx' }, rest: '' }));
test('knows names in any case', () => expect(parse('AskedModel:gpt-5').patch).toEqual({ askedModel: 'gpt-5' }));
test('keeps spaces in quotes', () => expect(parse('key:"my key"').patch).toEqual({ key: 'my key' }));
test('takes colons in a value', () => expect(parse('model:a:free').patch).toEqual({ model: 'a:free' }));
test('takes text without a name as the id', () => expect(parse('chatcmpl-123').patch).toEqual({ id: 'chatcmpl-123' }));
test('leaves what it does not know in the box', () =>
  expect(parse('model: colour:red')).toEqual({ patch: {}, rest: 'model: colour:red', unknown: 'colour' }));
test('names to try begin like the unknown one, or are the first ones', () => {
  expect(namesToTry('stat', FIELDS)).toEqual(['status']);
  expect(namesToTry('nonsense', FIELDS)).toEqual(['model', 'askedModel', 'status']);
});
test('takes several words without a name as one text', () =>
  expect(parse('laptop  of Ann status:5xx')).toEqual({ patch: { id: 'laptop of Ann', status: '5xx' }, rest: '' }));
