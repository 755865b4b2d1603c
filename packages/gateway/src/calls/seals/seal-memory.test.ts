import { describe, expect, test } from 'vitest';
import type { KeptTurn } from '../../kernel/seals.ts';
import { LocalSealMemory, type SealMemoryBounds } from './seal-memory.ts';

const OWNER = { dialect: 'google-generate', family: 'gemini', scope: 's' } as const;
const turnOf = (data: string, ...ids: string[]): KeptTurn =>
  ids.map((id) => ({ call: { id, name: 'f', argumentsJson: '{}', seal: { owner: OWNER, kind: 'carry', data } } }));

const ROOMY: SealMemoryBounds = { maxEntries: 100, maxBytes: 1_000_000, ttlMs: 1000 };
function opened(bounds: Partial<SealMemoryBounds> = {}) {
  let nowMs = 0;
  const memory = new LocalSealMemory(
    () => ({ ...ROOMY, ...bounds }),
    () => nowMs,
  );
  return {
    memory,
    wait: (ms: number) => {
      nowMs += ms;
    },
    found: (ids: string[], account = 'a') => [...memory.recall(account, ids).keys()],
  };
}

describe('what is remembered', () => {
  test('a turn by any of its calls, for the account it was stored for', () => {
    const { memory, found } = opened();
    const turn = turnOf('x', 'c1', 'c2');
    memory.keep('a', turn);
    expect(memory.recall('a', ['c2', 'none']).get('c2')).toBe(turn);
    expect(found(['c1', 'c2'])).toEqual(['c1', 'c2']);
    expect(found(['c1', 'c2'], 'b')).toEqual([]);
  });
  test('accounts and ids cannot be confused by their spelling', () => {
    const { memory, found } = opened();
    memory.keep('a","b', turnOf('x', 'c'));
    expect(found(['b","c'], 'a')).toEqual([]);
    expect(found(['c'], 'a","b')).toEqual(['c']);
  });
  test('the latest turn of an id, counted once', () => {
    const { memory } = opened();
    memory.keep('a', turnOf('x', 'c'));
    const before = memory.bytes;
    memory.keep('a', turnOf('y', 'c'));
    expect({ size: memory.size, bytes: memory.bytes }).toEqual({ size: 1, bytes: before });
  });
});

describe('what is evicted', () => {
  test('the oldest, when there are too many', () => {
    const { memory, found } = opened({ maxEntries: 2 });
    for (const id of ['c1', 'c2', 'c3']) memory.keep('a', turnOf('x', id));
    expect(found(['c1', 'c2', 'c3'])).toEqual(['c2', 'c3']);
  });
  test('the oldest, when they are too large, and a turn that is too large alone', () => {
    const { memory, found } = opened({ maxBytes: 2000 });
    for (const id of ['c1', 'c2', 'c3']) memory.keep('a', turnOf('x'.repeat(300), id));
    expect(found(['c1', 'c2', 'c3'])).toEqual(['c2', 'c3']);
    memory.keep('a', turnOf('x'.repeat(2000), 'c4'));
    expect(found(['c2', 'c3', 'c4'])).toEqual(['c2', 'c3']);
    expect(memory.bytes).toBeLessThanOrEqual(2000);
  });
  test('everything, after its TTL', () => {
    const { memory, found, wait } = opened();
    memory.keep('a', turnOf('x', 'c1'));
    wait(600);
    memory.keep('a', turnOf('x', 'c2'));
    wait(399);
    expect(found(['c1', 'c2'])).toEqual(['c1', 'c2']);
    wait(1);
    expect(found(['c1', 'c2'])).toEqual(['c2']);
    wait(1000);
    expect(found(['c2'])).toEqual([]);
    expect({ size: memory.size, bytes: memory.bytes }).toEqual({ size: 0, bytes: 0 });
  });
  test('everything at once, when it is switched off', () => {
    const { memory } = opened({ maxEntries: 0 });
    memory.keep('a', turnOf('x', 'c'));
    expect(memory.size).toBe(0);
  });
});
