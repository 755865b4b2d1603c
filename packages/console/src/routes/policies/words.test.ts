import { readFileSync } from 'node:fs';
import { i18n } from '@lingui/core';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { beforeAll, expect, test } from 'vitest';
import { messagesIn } from '../../../build/catalogues.ts';
import { matchInWords, type Policy, policyText, saidInShort, saidInWords, scopeInWords, whyInWords } from './words.ts';

beforeAll(() => {
  const texts = messagesIn(readFileSync(new URL('./words.ts', import.meta.url), 'utf8'));
  const messages = Object.fromEntries(texts.map((text) => [text, compileMessage(text)]));
  i18n.loadAndActivate({ locale: 'en', messages });
});

test('what a policy says, in short and by member', () => {
  const policy: Policy = {
    name: 'eu',
    only: ['azure', 'openai'],
    region: ['eu'],
    retention: 0,
    weights: { azure: 3, openai: 1 },
    fallbacks: [{ model: 'a/b', on: ['content-filter'] }, { model: 'c/d' }],
  };
  expect(saidInShort(policy)).toBe(
    'only azure, openai · region eu · nothing is stored · shares azure 75 %, openai 25 % · falls back to a/b, c/d',
  );
  expect(saidInWords(policy).at(-1)).toEqual([
    'Fallbacks',
    'a/b (content filter) → c/d (error, rate limit, prompt too long)',
  ]);
});

test('what is lifted is said to be lifted, and what is not said is not shown', () => {
  const policy: Policy = { name: 'free', only: null, fallbacks: null, trains: true, strict: false };
  expect(saidInWords(policy)).toEqual([
    ['Only these providers', 'lifted'],
    ['Training', 'lifted'],
    ['Strict', 'lifted'],
    ['Fallbacks', 'lifted'],
  ]);
  expect(saidInShort(policy)).toContain('lifts: Only these providers');
});

test('a member that is not known here is shown as it is', () => {
  const policy = { name: 'later', mirror: { share: 5 } } as unknown as Policy;
  expect(saidInWords(policy)).toEqual([['mirror', '{"share":5}']]);
  expect(saidInShort(policy)).toBe('mirror');
});

test('scopes and matches', () => {
  expect(scopeInWords()).toBe('the whole gateway');
  expect(scopeInWords({ account: 'acme' })).toBe('acme and accounts below');
  expect(scopeInWords({ account: 'acme', key: 'ci' })).toBe('key ci of acme');
  expect(scopeInWords({ account: 'acme', tag: 'team=x' })).toBe('tag team=x of acme');
  expect(matchInWords({})).toBe('all requests');
  expect(matchInWords({ models: ['openai/*'], operations: ['embed'], protocols: ['genai'] })).toBe(
    'openai/* · embeddings · Gemini',
  );
});

test('versions are compared with their members in one order', () => {
  const one = { name: 'a', strict: true, only: ['x'], match: { models: ['m'] } } as Policy;
  const other = { match: { models: ['m'] }, only: ['x'], strict: true, name: 'a' } as Policy;
  expect(policyText(one)).toBe(policyText(other));
  expect(policyText({ canary: 1, name: 'a' } as unknown as Policy)).toBe('{"name":"a","canary":1}');
});

test('a canary, and why it has stepped back', () => {
  const stepBack = { errorPercent: 10, firstTokenP95Ms: 1500 };
  expect(saidInShort({ name: 'trial', canary: { model: 'a/b', percent: 5, stepBack } })).toBe(
    'canary: 5 % to a/b, steps back above 10 % failed, first token 1.5 s',
  );
  expect(whyInWords({ rule: 'errorPercent', limit: 10, measured: 30, calls: 50 })).toBe(
    '30 % of 50 calls failed; 10 % are allowed',
  );
});
