import { i18n } from '@lingui/core';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { afterAll, expect, test } from 'vitest';
import { catalogue, LANGUAGES } from '../../../build/catalogues.ts';
import { alertInWords } from './alert-words.ts';

const SOURCES = new URL('../..', import.meta.url).pathname;
afterAll(() => i18n.loadAndActivate({ locale: 'en', messages: {} }));

const ALERTS = [
  [
    'budget.reached',
    { account: 'acme', scope: 'key:k1', name: 'web', span: 'month', percent: 80 },
    ['web', 'acme', '80'],
  ],
  ['spend.anomaly', { account: 'acme', spentUsd: '12.5' }, ['acme', '12']],
  ['key.expiring', { account: 'acme', key: 'k1', name: 'web' }, ['acme', 'web']],
  ['credit.low', { account: 'acme', days: 3.5 }, ['acme', '3.5']],
  ['errors.high', { provider: 'azure', percent: 22.5 }, ['azure', '22.5']],
  ['latency.high', { provider: 'azure', firstTokenMs: 4200 }, ['azure', '4']],
  ['usage.unpriced', { provider: 'azure', model: 'm', unpriced: 'audio' }, ['azure', 'm', 'audio']],
  ['usage.suspect', { provider: 'azure', model: 'm' }, ['azure', 'm']],
  ['provider.out', { provider: 'azure', model: 'm' }, ['azure', 'm']],
  ['provider.back', { provider: 'azure' }, ['azure']],
  [
    'provider.drift',
    { provider: 'groq', format: 'openai-chat', percent: 0.3, at: 'answer.mood', what: 'string' },
    ['groq', '0.3', 'answer.mood'],
  ],
  ['canary.stepped_back', { policy: 'trial' }, ['trial']],
  ['ledger.audit_failed', { account: 'acme' }, ['acme']],
  ['ledger.set_back', { node: 'n' }, []],
  ['credential.stale', { credential: 'vault:main', why: 'away' }, ['vault:main']],
] as const;

test.each(LANGUAGES)('alerts are told in %s, with what they are about', (language) => {
  const messages = Object.fromEntries(
    [...catalogue(SOURCES, language)].map(([english, text]) => [english, compileMessage(text)]),
  );
  i18n.loadAndActivate({ locale: language, messages });
  for (const [kind, detail, parts] of ALERTS) {
    const words = alertInWords({ kind, detail, title: 'An English title' });
    expect(words).not.toMatch(/English|\{| of | is | the /);
    for (const part of parts) expect(words).toContain(part);
  }
});

test('in English the sentence is the one of the mail', () => {
  i18n.loadAndActivate({ locale: 'en', messages: {} });
  expect(alertInWords({ kind: 'provider.back', detail: {}, title: 'Back again.' })).toBe('Back again.');
});
