import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { extractCredential, MAX_CREDENTIAL_LENGTH } from './credentials.ts';

type Value = string | readonly string[];
const extract = (headers: Readonly<Record<string, Value>>) => extractCredential(new Map(Object.entries(headers)));
const one = (secret: string) => ({ kind: 'one', secret });
const CARRIERS = ['authorization', 'x-api-key', 'x-goog-api-key'] as const;
const carry = (carrier: string, secret: string): string => (carrier === 'authorization' ? `Bearer ${secret}` : secret);
const plainSecret = fc.stringMatching(/^[\x21-\x7e]{1,64}$/).filter((text) => text.toLowerCase() !== 'bearer');

describe('extractCredential', () => {
  test.each(CARRIERS)('reads %s', (carrier) => {
    expect(extract({ [carrier]: carry(carrier, 'sk-1') })).toEqual(one('sk-1'));
  });

  test('accepts the scheme in any case and several spaces', () => {
    expect(extract({ authorization: 'bEaReR   sk-1' })).toEqual(one('sk-1'));
    expect(extract({ authorization: ' Bearer sk-1 ' })).toEqual(one('sk-1'));
  });

  test('finds no credential in headers without one', () => {
    expect(extract({})).toEqual({ kind: 'none' });
    expect(extract({ 'content-type': 'application/json', cookie: 'key=sk-1' })).toEqual({ kind: 'none' });
    expect(extract({ authorization: '', 'x-api-key': '' })).toEqual({ kind: 'none' });
    expect(extract({ authorization: 'Bearer ' })).toEqual({ kind: 'none' });
  });

  test('ignores an empty header beside a real one', () => {
    expect(extract({ authorization: 'Bearer', 'x-api-key': 'sk-1' })).toEqual(one('sk-1'));
  });

  test('accepts the same secret twice and refuses two that differ', () => {
    expect(extract({ authorization: 'Bearer sk-1', 'x-api-key': 'sk-1' })).toEqual(one('sk-1'));
    expect(extract({ authorization: 'Bearer sk-1', 'x-api-key': 'sk-2' })).toEqual({ kind: 'conflict' });
    expect(extract({ 'x-api-key': ['sk-1', 'sk-1'] })).toEqual(one('sk-1'));
    expect(extract({ 'x-api-key': ['sk-1', 'sk-2'] })).toEqual({ kind: 'conflict' });
    expect(extract({ authorization: ['Bearer sk-1', 'Bearer SK-1'] })).toEqual({ kind: 'conflict' });
  });

  test.each([
    ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
    ['no scheme', { authorization: 'sk-1' }],
    ['a tab after the scheme', { authorization: 'Bearer\tsk-1' }],
    ['a blank inside', { authorization: 'Bearer sk-1 sk-2' }],
    ['a line break', { 'x-api-key': 'sk-1\r\nx: y' }],
    ['a zero byte', { 'x-api-key': 'sk-1\u0000' }],
    ['letters beyond ASCII', { 'x-api-key': 'schlüssel' }],
    ['too many copies', { authorization: Array.from({ length: 9 }, () => 'Bearer sk-1') }],
  ])('calls %s malformed', (_what, headers) => {
    expect(extract(headers)).toEqual({ kind: 'malformed' });
  });

  test('limits the length', () => {
    const longest = 'x'.repeat(MAX_CREDENTIAL_LENGTH);
    expect(extract({ 'x-api-key': longest })).toEqual(one(longest));
    expect(extract({ 'x-api-key': `${longest}x` })).toEqual({ kind: 'malformed' });
    expect(extract({ authorization: `Bearer ${longest}x` })).toEqual({ kind: 'malformed' });
  });

  test('returns exactly the secret that was sent, in any header', () => {
    fc.assert(
      fc.property(plainSecret, fc.subarray([...CARRIERS], { minLength: 1 }), (secret, carriers) => {
        const headers = new Map(carriers.map((carrier) => [carrier, carry(carrier, secret)]));
        expect(extractCredential(headers)).toEqual(one(secret));
      }),
    );
  });

  test('never picks one of two different secrets', () => {
    fc.assert(
      fc.property(plainSecret, plainSecret, fc.shuffledSubarray([...CARRIERS], { minLength: 2 }), (a, b, carriers) => {
        fc.pre(a !== b);
        const [first = '', second = ''] = carriers;
        const headers = new Map([
          [first, carry(first, a)],
          [second, carry(second, b)],
        ]);
        expect(extractCredential(headers)).toEqual({ kind: 'conflict' });
      }),
    );
  });

  test('answers for any header values without throwing, and only with a plain secret', () => {
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.array(fc.string(), { maxLength: 4 }));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...CARRIERS), value), (headers) => {
        const found = extract(headers);
        if (found.kind === 'one') expect(found.secret).toMatch(/^[\x21-\x7e]{1,512}$/);
      }),
    );
  });
});
