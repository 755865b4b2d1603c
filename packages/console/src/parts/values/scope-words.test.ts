import { readFileSync } from 'node:fs';
import { i18n } from '@lingui/core';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { beforeAll, expect, test } from 'vitest';
import { messagesIn } from '../../../build/catalogues.ts';
import { budgetInWords, isWholeScope, scopeInWords } from './scope-words.ts';

beforeAll(() => {
  const texts = messagesIn(readFileSync(new URL('./scope-words.ts', import.meta.url), 'utf8'));
  i18n.loadAndActivate({
    locale: 'en',
    messages: Object.fromEntries(texts.map((text) => [text, compileMessage(text)])),
  });
});

const words = (scope: string, name?: string) => scopeInWords({ account: 'acme', scope, name });

test('scopes are said in words, keys and members by their names', () => {
  expect(words('account')).toBe('Account acme');
  expect(words('group')).toBe('Account acme and those below it');
  expect(words('member:mem_1', 'Ann')).toBe('Member Ann of account acme');
  expect(words('key:key_1')).toBe('Key key_1 of account acme');
  expect(words('tag:team=a=b')).toBe('Requests of account acme with the tag team=a=b');
  expect(words('tag:team=')).toBe('Requests of account acme without the tag team');
  expect(words('tag:team')).toBe('Each value of the tag team of account acme');
});

test('a budget says its period', () => {
  expect(budgetInWords({ account: 'acme', scope: 'member', per: 'month' })).toBe(
    'Each member of account acme, per month',
  );
  expect(budgetInWords({ account: 'acme', scope: 'account', per: 'total' })).toBe('Account acme, in all');
});

test('a scope is whole once it names what it is about', () => {
  expect(['account', 'group', 'key:k', 'member:m', 'tag:a=b', 'tag:a='].every(isWholeScope)).toBe(true);
  expect(['', 'key:', 'member:', 'tag:', 'tag:a', 'member'].some(isWholeScope)).toBe(false);
});
