import { describe, expect, test } from 'vitest';
import { hashSecret } from './key-secret.ts';
import { type StaticKey, StaticKeys } from './static-keys.ts';

const SECRET = 'sk-trivium-abc';
const key = (own: Partial<StaticKey> = {}): StaticKey => ({
  name: 'app',
  hash: hashSecret(SECRET),
  account: 'team',
  strict: false,
  ...own,
});
const at = (time: string) => () => Date.parse(time);
const now = at('2026-06-01T00:00:00Z');

describe('StaticKeys', () => {
  test('hashes with SHA-256 in hex', () => {
    expect(hashSecret('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  test('finds the caller of a secret, and none for any other text', () => {
    const keys = new StaticKeys([key({ strict: true })], now);
    expect(keys.find(SECRET)).toMatchObject({ keyId: 'app', accountId: 'team', strict: true });
    for (const wrong of ['', `${SECRET} `, SECRET.slice(0, -1), SECRET.toUpperCase(), hashSecret(SECRET), 'app'])
      expect(keys.find(wrong)).toBeUndefined();
  });

  test('compares the whole hash, not a prefix of it', () => {
    const almost = `${hashSecret(SECRET).slice(0, -1)}${hashSecret(SECRET).endsWith('0') ? '1' : '0'}`;
    expect(new StaticKeys([key({ hash: almost })], now).find(SECRET)).toBeUndefined();
  });

  test('keeps callers apart', () => {
    const keys = new StaticKeys([key(), key({ name: 'other', hash: hashSecret('second'), account: 'b' })], now);
    expect(keys.find(SECRET)?.keyId).toBe('app');
    expect(keys.find('second')).toMatchObject({ keyId: 'other', accountId: 'b' });
  });

  test('refuses a key from its expiry on, by the given clock', () => {
    const expiring = [key({ expiresAt: '2026-06-01T00:00:00Z' })];
    expect(new StaticKeys(expiring, at('2026-05-31T23:59:59.999Z')).find(SECRET)?.keyId).toBe('app');
    expect(new StaticKeys(expiring, at('2026-06-01T00:00:00Z')).find(SECRET)).toBeUndefined();
  });

  test('allows every model without a list, and only the listed ones with one', () => {
    expect(new StaticKeys([key()], now).find(SECRET)?.mayUse('any/thing')).toBe(true);
    const caller = new StaticKeys([key({ models: ['openai/gpt-4o', 'groq/*'] })], now).find(SECRET);
    expect(caller?.mayUse('openai/gpt-4o')).toBe(true);
    expect(caller?.mayUse('openai/gpt-4o-mini')).toBe(false);
    expect(caller?.mayUse('groq/llama')).toBe(true);
    expect(caller?.mayUse('groqx/llama')).toBe(false);
    expect(new StaticKeys([key({ models: [] })], now).find(SECRET)?.mayUse('openai/gpt-4o')).toBe(false);
  });
});
