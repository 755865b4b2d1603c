import type { Sealed } from '@trivium/protocol/canonical';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sealing } from './envelopes.ts';

const KEYS = ['first-key-0123456789', 'older-key-0123456789'];
const seals: fc.Arbitrary<Sealed> = fc.record(
  {
    owner: fc.record(
      {
        dialect: fc.constantFrom(
          'anthropic-messages' as const,
          'google-generate' as const,
          'openai-responses' as const,
        ),
        family: fc.constantFrom('claude', 'gemini', 'gpt'),
        scope: fc.string({ minLength: 1, maxLength: 16 }),
        model: fc.string({ minLength: 1, maxLength: 40 }),
      },
      { requiredKeys: ['dialect', 'family'] },
    ),
    kind: fc.constantFrom('signature' as const, 'sealed' as const, 'carry' as const, 'cite' as const, 'ref' as const),
    data: fc.string({ unit: 'grapheme' }),
    itemId: fc.string({ minLength: 1, maxLength: 40 }),
    call: fc.string({ minLength: 1, maxLength: 40 }),
    text: fc.string({ unit: 'grapheme' }),
  },
  { requiredKeys: ['owner', 'kind', 'data'] },
);

describe('envelopes', () => {
  test('return exactly what was sealed, for the same account', () => {
    fc.assert(
      fc.property(seals, (seal) => {
        const { wrap, unwrap, isEnvelope } = sealing(KEYS, 'account');
        expect(isEnvelope(wrap(seal))).toBe(true);
        expect(unwrap(wrap(seal))).toEqual(seal);
      }),
    );
  });

  test('are invalid for another account, and if any character was changed', () => {
    const seal: Sealed = {
      owner: { dialect: 'google-generate', family: 'gemini' },
      kind: 'carry',
      data: 'secret state',
    };
    const envelope = sealing(KEYS, 'a').wrap(seal);
    expect(sealing(KEYS, 'b').unwrap(envelope)).toBeUndefined();
    for (let at = 5; at < envelope.length; at++) {
      const changed = envelope.slice(0, at) + (envelope[at] === 'A' ? 'B' : 'A') + envelope.slice(at + 1);
      if (Buffer.from(changed, 'base64').equals(Buffer.from(envelope, 'base64'))) continue;
      expect(sealing(KEYS, 'a').unwrap(changed)).toBeUndefined();
    }
  });

  test('signed with an older key are still valid, with a removed one are not', () => {
    const seal: Sealed = { owner: { dialect: 'anthropic-messages', family: 'claude' }, kind: 'signature', data: 'x' };
    const old = sealing(['older-key-0123456789'], 'a').wrap(seal);
    expect(sealing(KEYS, 'a').unwrap(old)).toEqual(seal);
    expect(sealing(['first-key-0123456789'], 'a').unwrap(old)).toBeUndefined();
  });

  test('raw seals are not envelopes', () => {
    const { unwrap, isEnvelope } = sealing(KEYS, 'a');
    for (const raw of ['', 'EqQBCkgIAxABGAIiQL', 'VFJW', 'skip_thought_signature_validator']) {
      expect(isEnvelope(raw)).toBe(false);
      expect(unwrap(raw)).toBeUndefined();
    }
  });
});
