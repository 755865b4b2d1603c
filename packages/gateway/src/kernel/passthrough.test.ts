import { describe, expect, test } from 'vitest';
import { isPlainPath, passthroughTarget, whyShut } from './passthrough.ts';

test('[PT-02] a path has one spelling', () => {
  expect(passthroughTarget('/passthrough/openai/moderations')).toEqual({ provider: 'openai', path: '/moderations' });
  expect(passthroughTarget('/passthrough/a/models/x-1.2:classify')?.path).toBe('/models/x-1.2:classify');
  expect(passthroughTarget('/passthrough/openai')).toBeUndefined();
});

test.each([
  ...['/..', '/a/../b', '/a/..', '/.', '/./a', '/.a', '/a..b', '//a', '/a//b', '/a/', '/', '', 'a', '/a%2fb', '/a%2Fb'],
  ...['/%2e%2e/a', '/a%00', '/a\0', '/a\\b', '/a;b', '/a;v=1/b', '/A', '/Moderations', '/a?b', '/a#b', '/a b', '/a\n'],
  ...['/a@b', '/a,b', '/a=b', '/a&b', '/a+b', '/a~b', '/a*', '/ä', `/${'a'.repeat(600)}`, '/a::b', '/:a', '/a:'],
])('[PT-02] %j is refused and never repaired', (path) => {
  expect(isPlainPath(path)).toBe(false);
  expect(whyShut(path)).toContain('plain path');
});

describe('[PT-03] paths that stay shut', () => {
  test.each([
    ...['/organization/users', '/v1/organizations/me', '/admin', '/projects/p', '/api_keys', '/api-keys', '/keys'],
    ...['/service_accounts', '/audit_logs', '/billing', '/usage', '/users/me', '/invites', '/costs'],
  ])('of administration: %s', (path) => expect(whyShut(path)).toContain('administration'));

  test.each([
    ...['/realtime/client_secrets', '/client-secrets', '/auth_tokens', '/oauth/token', '/tokens', '/realtime/sessions'],
    ...['/audio/single-use-token', '/live', '/convai/conversation/get-signed-url', '/sts'],
  ])('that make credentials: %s', (path) => expect(whyShut(path)).toContain('credentials'));

  test.each([
    ...[
      '/files',
      '/files/file-1/content',
      '/uploads',
      '/batches',
      '/fine_tuning/jobs',
      '/vector_stores',
      '/containers',
    ],
    ...['/assistants', '/threads/t/runs', '/conversations', '/evals', '/agents', '/skills', '/videos', '/predictions'],
  ])('of what is stored or runs later: %s', (path) => expect(whyShut(path)).toContain('stored'));

  test.each([
    ...['/chat/completions', '/completions', '/responses', '/v1/messages', '/messages/count', '/embeddings'],
    ...['/images/generations', '/models/m:predict', '/model/m/converse', '/model/m/invoke'],
  ])('of calls: %s', (path) => expect(whyShut(path)).toContain('served as a call'));
});

test.each(['/moderations', '/v1/classify', '/models/m:rank', '/audio/voices-of-the-day', '/tokenize', '/ocr'])(
  '[PT-03] %s may be opened',
  (path) => expect(whyShut(path)).toBeUndefined(),
);
