import { describe, expect, test } from 'vitest';
import { hashSecret } from '../../people/accounts/key-secret.ts';
import { configOf, load, placesOf, problemsOf } from '../load.fixture.ts';

describe('keys', () => {
  const LONG = 'sk-trivium-0123456789012345678901234567890123456789';

  test('hashes a referenced secret and does not retain it', () => {
    const loaded = load('keys: [{ name: app, secret: env:APP_KEY, account: web, models: [a/*] }]', { APP_KEY: LONG });
    expect(loaded.config.keys).toEqual([
      { name: 'app', hash: hashSecret(LONG), account: 'web', strict: false, hedge: false, models: ['a/*'] },
    ]);
    expect(JSON.stringify(loaded.config)).not.toContain(LONG);
    expect(loaded.notices).toEqual([]);
  });

  test('takes a hash, in any case', () => {
    const hash = hashSecret(LONG);
    expect(configOf(`keys: [{ name: app, hash: "sha256:${hash.toUpperCase()}" }]`).keys[0]?.hash).toBe(hash);
  });

  test('warns of a plaintext secret and of a weak one', () => {
    const { notices } = load(`keys:\n  - name: app\n    secret: ${LONG}\n  - name: weak\n    secret: env:WEAK\n`, {
      WEAK: 'hunter2',
    });
    expect(placesOf(notices)).toEqual(['3:13 keys[0].secret', '5:13 keys[1].secret']);
    expect(JSON.stringify(notices)).not.toMatch(/0123456789|hunter2/);
  });

  test.each([
    ['keys: [{ name: a }]', '1:8 keys[0]'],
    [`keys: [{ name: a, secret: x, hash: "sha256:${'0'.repeat(64)}" }]`, '1:8 keys[0]'],
    ['keys: [{ name: a, secret: env:MISSING }]', '1:27 keys[0].secret'],
    ['keys: [{ name: a, secret: env:EMPTY }]', '1:27 keys[0].secret'],
    ['keys: [{ name: a, hash: "sha256:12" }]', '1:25 keys[0].hash'],
    ['keys: [{ name: a, secret: x, expiresAt: 2026-02-30T99:00:00Z }]', '1:41 keys[0].expiresAt'],
    ['keys: [{ name: a, secret: x, expiresAt: tomorrow }]', '1:41 keys[0].expiresAt'],
    ['keys:\n- { name: a, secret: x }\n- { name: a, secret: y }', '3:11 keys[1].name'],
    ['keys:\n- { name: a, secret: x }\n- { name: b, secret: x }', '3:3 keys[1]'],
  ])('refuses %j', (text, expected) => {
    expect(placesOf(problemsOf(text, { EMPTY: ' ' }))).toEqual([expected]);
  });
});
