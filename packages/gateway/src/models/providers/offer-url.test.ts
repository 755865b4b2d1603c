import { describe, expect, test } from 'vitest';
import { listPathOf } from './offer-url.ts';
import { SHIPPED_PROVIDERS } from './provider-set.ts';

const of = (provider: string, dialect: string): string | undefined => {
  const offer = SHIPPED_PROVIDERS.find(({ id }) => id === provider)?.offers[dialect];
  return offer && listPathOf(offer);
};

describe('listPathOf', () => {
  test.each([
    ['openai', 'openai-chat', '/models'],
    ['openai', 'openai-images', '/models'],
    ['anthropic', 'anthropic-messages', '/v1/models'],
    ['google', 'google-generate', '/models'],
  ])('knows the list of %s beside %s', (provider, dialect, path) => {
    expect(of(provider, dialect)).toBe(path);
  });

  test('knows none if the path has another form', () => {
    expect(of('amazon-bedrock', 'anthropic-messages')).toBeUndefined();
  });
});
