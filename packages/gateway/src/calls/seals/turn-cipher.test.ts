import { describe, expect, test } from 'vitest';
import type { KeptTurn } from '../../kernel/seals.ts';
import { TurnCipher } from './turn-cipher.ts';

const TURN: KeptTurn = [{ call: { id: 'call_1', name: 'weather', argumentsJson: '{"city":"Zürich"}' } }];
const cipher = new TurnCipher(['new key', 'old key']);

describe('TurnCipher', () => {
  test('opens what it sealed', () => {
    expect(cipher.open('a', 'call_1', cipher.seal('a', 'call_1', TURN))).toEqual(TURN);
  });

  test('reveals nothing of the turn, and never produces the same bytes twice', () => {
    const sealed = cipher.seal('a', 'call_1', TURN);
    expect(sealed.includes('weather')).toBe(false);
    expect(sealed.equals(cipher.seal('a', 'call_1', TURN))).toBe(false);
  });

  test('opens what any of its keys has sealed, and nothing else', () => {
    expect(cipher.open('a', 'call_1', new TurnCipher(['old key']).seal('a', 'call_1', TURN))).toEqual(TURN);
    expect(cipher.open('a', 'call_1', new TurnCipher(['strange key']).seal('a', 'call_1', TURN))).toBeUndefined();
  });

  test.each([
    ["another account's", 'b', 'call_1'],
    ["another call's", 'a', 'call_2'],
  ])('does not open a row moved to %s', (_, accountId, callId) => {
    expect(cipher.open(accountId, callId, cipher.seal('a', 'call_1', TURN))).toBeUndefined();
  });

  test('does not open a row that was changed or cut', () => {
    const sealed = cipher.seal('a', 'call_1', TURN);
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(cipher.open('a', 'call_1', changed)).toBeUndefined();
      expect(cipher.open('a', 'call_1', sealed.subarray(0, at))).toBeUndefined();
    }
  });
});
