import { describe, expect, test } from 'vitest';
import { type SealedSecret, Vault } from './vault.ts';

const [OLD, NEW] = ['an old key of thirty-two characters', 'a new key of thirty-two characters!'];
const SECRET = 'sk-upstream-0123456789';

describe('Vault', () => {
  test('decrypts what it encrypted, and never produces the same bytes twice', () => {
    const vault = new Vault([OLD]);
    const [one, other] = [vault.seal('row', SECRET), vault.seal('row', SECRET)];
    expect(vault.open('row', one)).toBe(SECRET);
    expect(one.sealed.equals(other.sealed)).toBe(false);
    expect(Buffer.concat([one.sealed, one.wrappedKey]).includes(SECRET)).toBe(false);
  });

  test('does not decrypt a secret of another row, not even in part', () => {
    const vault = new Vault([OLD]);
    const [here, there] = [vault.seal('here', SECRET), vault.seal('there', 'other')];
    expect(() => vault.open('there', here)).toThrow();
    expect(() => vault.open('here', { ...here, sealed: there.sealed })).toThrow();
    expect(() => vault.open('here', { ...here, wrappedKey: there.wrappedKey })).toThrow();
  });

  test('detects every changed byte', () => {
    const vault = new Vault([OLD]);
    const good = vault.seal('row', SECRET);
    for (const part of ['sealed', 'wrappedKey'] as const)
      for (let at = 0; at < good[part].length; at++) {
        const touched = Buffer.from(good[part]);
        touched[at] = (touched[at] ?? 0) ^ 1;
        expect(() => vault.open('row', { ...good, [part]: touched })).toThrow();
      }
  });

  test('rewraps for a new operator key without changing the ciphertext', () => {
    const sealed: SealedSecret = new Vault([OLD]).seal('row', SECRET);
    const both = new Vault([NEW, OLD]);
    expect(both.isCurrent(sealed)).toBe(false);
    const moved = both.rewrap('row', sealed);
    expect(moved.sealed.equals(sealed.sealed)).toBe(true);
    expect(new Vault([NEW]).open('row', moved)).toBe(SECRET);
    expect(() => new Vault([NEW]).open('row', sealed)).toThrow(/secrets.keys/);
  });
});
